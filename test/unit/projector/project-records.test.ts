import { Registry } from 'prom-client';
import type { IncomingRecord } from '#lib/kafka';
import { AppError, createManualClock, createWaitOut, silentLogger, systemClock } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { type Fact, tenantOf } from '../../../services/projector/facts.ts';
import { createProjectorMetrics } from '../../../services/projector/metrics.ts';
import { createRecordHandler } from '../../../services/projector/project-records.ts';
import { eventFact, fanOutFact } from './facts.ts';
import { incomingRecord, type TestRecord } from './incoming-record.ts';
import { locked, timedOut } from './store-errors.ts';

type Deps = Parameters<typeof createRecordHandler>[0];
type Buried = Parameters<Deps['buryRecord']>[1] & Pick<IncomingRecord, 'offset'>;

/** Notes what is given up in place of a dead letter. */
const buryInto =
  (buried: Buried[]): Deps['buryRecord'] =>
  async (record, givenUp) => {
    buried.push({ offset: record.offset, ...givenUp });
    record.done();
  };

const none: ReadonlySet<string> = new Set();

const fail = (error: Error): never => {
  throw error;
};

/** The handler, over a store that refuses the offsets given as bad. */
function createHarness({ bad = [], ...given }: Partial<Deps> & { bad?: number[] } = {}) {
  const written: string[][] = [];
  const buried: Buried[] = [];
  const steps: string[] = [];
  const registry = new Registry();
  const idOf = (fact: Fact): string => (fact.kind === 'event' ? fact.event.id : '');
  const handle = createRecordHandler({
    read: async ({ offset, value }) =>
      value.length > 0
        ? { malformed: value.toString() }
        : { fact: eventFact({ tenant: 't', eventId: String(offset) }) },
    write: async (facts) => {
      steps.push('write');
      if (facts.some((fact) => bad.includes(Number(idOf(fact))))) throw new AppError('data_invalid', 'a NUL in a text');
      written.push(facts.map(idOf));
      return none;
    },
    writeAlone: () => Promise.reject(new Error('nothing is set aside')),
    buryRecord: buryInto(buried),
    deadLettersTopic: 'dead-letters',
    waitOut: createWaitOut({ clock: systemClock, log: silentLogger }),
    tracer: noTracer,
    groupId: 'projector',
    clock: createManualClock(),
    log: silentLogger,
    metrics: createProjectorMetrics(registry),
    crashPoints: { reach: (point) => void steps.push(point) },
    random: () => 0.5,
    onFailure: fail,
    ...given,
  });
  return { handle, written, buried, steps, registry };
}

const batch = (length: number, topic = 'events'): TestRecord[] =>
  Array.from({ length }, (_, offset) => incomingRecord({ topic, offset }));
const running = (): AbortSignal => new AbortController().signal;
const doneOffsets = (records: TestRecord[]): number[] =>
  records.filter((record) => record.doneCount() > 0).map(({ offset }) => Number(offset));

test('a batch is written at once, and done when it is committed', async () => {
  const { handle, written, steps } = createHarness();
  const records = batch(3);
  await handle(records, running());
  expect(written).toEqual([['0', '1', '2']]);
  expect(doneOffsets(records)).toEqual([0, 1, 2]);
  expect(steps).toEqual(['projector.before-transaction', 'write', 'projector.after-transaction']);
});

test('what was replayed for another stage is passed over; its dead letter, should it die again, is not', async () => {
  const { handle, written } = createHarness();
  const headers = { 'hookline-replay-for': 'fan-out' };
  const replayed = [
    incomingRecord({ topic: 'events', offset: 1, headers }),
    incomingRecord({ topic: 'events', offset: 2, headers: { 'hookline-replay-for': 'projector' } }),
    incomingRecord({ topic: 'dead-letters', offset: 3, headers }),
  ];
  await handle(replayed, running());
  expect(written).toEqual([['2', '3']]);
  expect(doneOffsets(replayed)).toEqual([1, 2, 3]);
});

test('nothing is done while the write is under way', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { handle } = createHarness({ write: () => promise.then(() => none) });
  const records = batch(2);
  const handling = handle(records, running());
  await new Promise(setImmediate);
  expect(doneOffsets(records)).toEqual([]);
  resolve();
  await handling;
  expect(doneOffsets(records)).toEqual([0, 1]);
});

test.each([[[0]], [[4]], [[8]], [[2, 3]], [[0, 4, 8]], [[0, 1, 2, 3, 4, 5, 6, 7, 8]]])(
  'data that is refused (%j of 9) is told from its neighbours, which are written in order',
  async (bad) => {
    const { handle, written, buried } = createHarness({ bad });
    const records = batch(9);
    await handle(records, running());
    const good = [...records.keys()].filter((offset) => !bad.includes(offset));
    expect(written.flat()).toEqual(good.map(String));
    expect(buried.map(({ offset, reason }) => [Number(offset), reason])).toEqual(
      bad.map((offset) => [offset, 'data_invalid']),
    );
    expect(doneOffsets(records)).toEqual([...records.keys()]);
  },
);

test('one bad record in 512 costs a logarithm of writes', async () => {
  const { handle, steps, buried } = createHarness({ bad: [300] });
  await handle(batch(512), running());
  expect(steps.filter((step) => step === 'write').length).toBeLessThanOrEqual(2 * 9 + 1);
  expect(buried).toMatchObject([{ attempts: 10 }]);
});

test('a record that can’t be read is buried with what is wrong, its neighbours are written', async () => {
  const { handle, written, buried } = createHarness();
  const records = [...batch(2), incomingRecord({ topic: 'events', offset: 2, value: 'no Avro' })];
  await handle(records, running());
  expect(written).toEqual([['0', '1']]);
  expect(buried).toMatchObject([{ headers: {}, reason: 'malformed_record', attempts: 1, logged: { why: 'no Avro' } }]);
  expect(doneOffsets(records)).toEqual([0, 1, 2]);
});

test('a record is done only when its dead letter is written', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { handle } = createHarness({ buryRecord: (record) => promise.then(() => record.done()) });
  const record = incomingRecord({ topic: 'events', value: 'no Avro' });
  const handling = handle([record], running());
  await new Promise(setImmediate);
  expect(record.doneCount()).toBe(0);
  resolve();
  await handling;
  expect(record.doneCount()).toBe(1);
});

test('no dead letter is written about a dead letter: that would never end', async () => {
  const { handle, buried } = createHarness({ bad: [0] });
  const records = [...batch(1, 'dead-letters'), incomingRecord({ topic: 'dead-letters', offset: 1, value: 'what?' })];
  await handle(records, running());
  expect(buried).toEqual([]);
  expect(doneOffsets(records)).toEqual([0, 1]);
});

test('an outage of any dependency is waited out, and blames no record', async () => {
  const away = { read: 1, write: 2 };
  const failing = (what: keyof typeof away, code: 'store_unavailable' | 'registry_unavailable') => {
    if ((away[what] -= 1) >= 0) throw new AppError(code, 'away');
  };
  const buried: Buried[] = [];
  const { handle } = createHarness({
    read: async ({ value }) => {
      failing('read', 'registry_unavailable');
      return value.length > 0 ? { malformed: '' } : { fact: eventFact({ tenant: 't', eventId: 'evt' }) };
    },
    write: async () => {
      failing('write', 'store_unavailable');
      return none;
    },
    // It waits by itself for what it needs: see libs/dead-letters.
    buryRecord: buryInto(buried),
  });
  const records = [...batch(2), incomingRecord({ topic: 'events', offset: 2, value: 'no Avro' })];
  await handle(records, running());
  expect(away).toEqual({ read: expect.any(Number) as number, write: -1 });
  expect(buried).toHaveLength(1);
  expect(doneOffsets(records)).toEqual([0, 1, 2]);
});

test('when the partition is lost during an outage, the handler gives up and leaves its records', async () => {
  const lost = new AbortController();
  const { handle } = createHarness({
    write: async () => {
      lost.abort();
      throw new AppError('store_unavailable', 'away');
    },
  });
  const records = batch(2);
  await handle(records, lost.signal);
  expect(doneOffsets(records)).toEqual([]);
});

test('a batch that takes too long is halved, down to one record, which is tried again and is no dead letter', async () => {
  const sizes: number[] = [];
  let failures = 0;
  const { handle, buried } = createHarness({
    write: async (facts) => {
      sizes.push(facts.length);
      const has = (id: string): boolean => facts.some((fact) => fact.kind === 'event' && fact.event.id === id);
      if (facts.length > 2) throw timedOut();
      if (facts.length === 1 && has('5') && (failures += 1) < 3) throw timedOut();
      if (facts.length > 1 && has('5')) throw timedOut();
      return none;
    },
  });
  const records = batch(8);
  await handle(records, running());
  expect(sizes).toEqual([8, 4, 2, 2, 4, 2, 1, 1, 1, 1, 2]);
  expect(buried).toEqual([]);
  expect(doneOffsets(records)).toEqual([...records.keys()]);
});

/** Reads the tenant of a record from its key, over a store where the tenants of `held` are locked. */
function createTenants(given: Partial<Deps> = {}) {
  const clock = createManualClock();
  const held = new Set<string>();
  const nameOf = (fact: Fact): string => (fact.kind === 'event' ? `${fact.event.tenant}${fact.event.id}` : '');
  const tenantsOf = (facts: readonly Fact[]): Set<string> => new Set(facts.map(tenantOf));
  const log: string[] = [];
  const alone: string[][] = [];
  const harness = createHarness({
    read: async ({ key, offset }) => ({ fact: eventFact({ tenant: String(key), eventId: String(offset) }) }),
    write: async (facts) => {
      const left = tenantsOf(facts).intersection(held);
      log.push(...facts.filter((fact) => !left.has(tenantOf(fact))).map(nameOf));
      return left;
    },
    writeAlone: async (facts) => {
      alone.push(facts.map(nameOf));
      if (!tenantsOf(facts).isDisjointFrom(held)) throw locked();
      log.push(...facts.map(nameOf));
    },
    clock,
    ...given,
  });
  return { ...harness, clock, held, log, alone };
}
/** One record a letter, the letter its tenant; offsets go on from the first. */
const recordsOf = (tenants: string, first = 0, signal?: AbortSignal): TestRecord[] =>
  [...tenants].map((key, index) => incomingRecord({ topic: 'events', offset: first + index, key, signal }));
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

test('the records of a tenant whose locks are held are set aside, the call ends, and later ones queue up behind them', async () => {
  const { handle, clock, held, log } = createTenants();
  held.add('a');
  const records = [...recordsOf('bab'), ...recordsOf('ab', 3), ...recordsOf('ba', 5)];
  for (const [from, to] of [
    [0, 3],
    [3, 5],
  ] as const)
    await handle(records.slice(from, to), running());
  expect(doneOffsets(records)).toEqual([0, 2, 4]);
  await clock.advance(5_000);
  await turns();
  expect(log).toEqual(['b0', 'b2', 'b4']);
  held.clear();
  // Its earlier ones are not written yet, so this one is not written before them either.
  await handle(records.slice(5), running());
  await clock.advance(2_000);
  await turns();
  expect(log).toEqual(['b0', 'b2', 'b4', 'b5', 'a1', 'a3', 'a6']);
  expect(doneOffsets(records)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('what was set aside is dropped when its partition is lost, and written by the next owner', async () => {
  const { handle, clock, held, log } = createTenants();
  held.add('a');
  const lost = new AbortController();
  const records = recordsOf('aab', 0, lost.signal);
  await handle(records, lost.signal);
  lost.abort();
  held.clear();
  await clock.advance(2_000);
  await turns();
  expect(log).toEqual(['b2']);
  expect(doneOffsets(records)).toEqual([2]);
  await handle(recordsOf('aab'), running());
  expect(log).toEqual(['b2', 'a0', 'a1', 'b2']);
});

test('when as much is set aside as may be, the call lasts until there is room, or the partition is lost', async () => {
  const limits = { maxItems: 4, maxBytes: 1_000, maxAtOnce: 1 };
  const { handle, clock, held } = createTenants({ setAsideLimits: limits });
  held.add('a');
  await handle(recordsOf('aab'), running());
  let hasReturned = false;
  const records = recordsOf('ab', 3);
  const call = handle(records, running()).then(() => (hasReturned = true));
  await turns();
  expect([hasReturned, doneOffsets(records)]).toEqual([false, [4]]);
  // Calls without records of such tenants are not concerned.
  await handle(recordsOf('bb', 5), running());
  held.clear();
  await clock.advance(2_000);
  await turns();
  await call;
  held.add('a');
  const lost = new AbortController();
  const aborted = handle(recordsOf('aaa', 7, lost.signal), lost.signal);
  await turns();
  lost.abort();
  await aborted;
});

test('bad data among what was set aside is told from its neighbours, and nothing overtakes', async () => {
  const buried: Buried[] = [];
  const log: string[] = [];
  let isHeld = true;
  const { handle, clock } = createTenants({
    write: async (facts) => new Set(isHeld ? facts.map(tenantOf) : []),
    writeAlone: async (facts) => {
      if (isHeld) throw locked();
      const ids = facts.map((fact) => (fact.kind === 'event' ? fact.event.id : ''));
      if (ids.includes('1')) throw new AppError('data_invalid', 'a NUL');
      log.push(...ids);
    },
    buryRecord: buryInto(buried),
  });
  const records = recordsOf('aaaa');
  await handle(records, running());
  isHeld = false;
  await clock.advance(2_000);
  await turns();
  expect(log).toEqual(['0', '2', '3']);
  expect(buried).toMatchObject([{ offset: 1n, reason: 'data_invalid' }]);
  expect(doneOffsets(records)).toEqual([0, 1, 2, 3]);
});

test('a bug in writing what was set aside ends the process, and nothing behind it is written', async () => {
  const failures: Error[] = [];
  const { handle, held, clock, log } = createTenants({
    writeAlone: () => Promise.reject(new AppError('bug', 'no such column')),
    onFailure: (error) => void failures.push(error),
  });
  held.add('a');
  await handle(recordsOf('a'), running());
  await turns();
  held.clear();
  await handle(recordsOf('ab', 1), running());
  await clock.advance(5_000);
  await turns();
  expect(failures).toMatchObject([{ code: 'bug' }]);
  expect(log).toEqual(['b2']);
});

test('sets of many deliveries are written five thousand rows at a time', async () => {
  const names = Array.from({ length: 2_000 }, (_, index) => `ep_${index}`);
  const sizes: number[] = [];
  const { handle } = createHarness({
    read: async ({ offset }) => ({ fact: fanOutFact({ tenant: 't', eventId: String(offset) }, names) }),
    write: async (facts) => {
      sizes.push(facts.length);
      return none;
    },
  });
  await handle(batch(5, 'delivery.attempts'), running());
  expect(sizes).toEqual([2, 2, 1]);
});

test('a bug of ours is no record’s fault: it ends the consumer', async () => {
  const { handle, buried } = createHarness({
    write: () => Promise.reject(new AppError('bug', 'no such column')),
  });
  const records = batch(2);
  await expect(handle(records, running())).rejects.toMatchObject({ code: 'bug' });
  expect(buried).toEqual([]);
  expect(doneOffsets(records)).toEqual([]);
});

test('what became of the records is counted', async () => {
  const { handle, registry } = createHarness({ bad: [1] });
  await handle([...batch(3), incomingRecord({ topic: 'events', offset: 3, value: '?' })], running());
  const { values } = (await registry.getSingleMetric('hookline_projector_records_total')?.get()) ?? { values: [] };
  expect(values.map(({ labels, value }) => [labels['topic'], labels['outcome'], value])).toEqual([
    ['events', 'malformed_record', 1],
    ['events', 'projected', 2],
    ['events', 'data_invalid', 1],
  ]);
});
