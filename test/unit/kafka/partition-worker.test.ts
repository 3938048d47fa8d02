import fc from 'fast-check';
import type { IncomingRecord, RecordHandler } from '#lib/kafka';
import { createManualClock } from '#lib/runtime';
import { createHandlerCalls, type HandlerCalls } from '../../../libs/kafka/consuming/handler-calls.ts';
import { createPartitionWorker, type PartitionWorkerOptions } from '../../../libs/kafka/consuming/partition-worker.ts';
import { messages, settle, valuesOf } from './fixtures.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const callLimits = { maxCalls: 2, maxPartitions: 9, maxBatchRecords: 3, maxBatchBytes: 10_000 };
const limits = {
  maxQueuedRecords: 10,
  maxQueuedBytes: 100_000,
  maxOutstanding: 6,
  maxOutstandingBytes: 100_000,
  maxSpan: 12,
  maxBatchBytes: 1_000_000,
};

interface Options extends Partial<PartitionWorkerOptions> {
  handle?: RecordHandler;
  maxBatchRecords?: number;
}

function setUp({ handle, maxBatchRecords = 3, ...options }: Options = {}) {
  const calls: { records: readonly IncomingRecord[]; signal: AbortSignal; finish: () => Promise<void> }[] = [];
  const failures: unknown[] = [];
  let wantsMore = 0;
  let committable = 0;
  let idle = 0;
  const hold: RecordHandler = (records, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const finish = async (): Promise<void> => {
      resolve();
      await settle();
      await settle();
    };
    calls.push({ records, signal, finish });
    return promise;
  };
  const worker = createPartitionWorker({
    topic: 't',
    partition: 0,
    limits,
    after: Promise.resolve(),
    onReady: () => handlerCalls.wake(),
    onWantsMore: () => (wantsMore += 1),
    onCommittable: () => (committable += 1),
    onIdle: () => (idle += 1),
    ...options,
  });
  const handlerCalls: HandlerCalls = createHandlerCalls({
    onUndecodable: noneUndecodable,
    workers: () => [worker],
    handle: handle ?? hold,
    limits: { ...callLimits, maxBatchRecords },
    clock: createManualClock(),
    onFailure: (error) => failures.push(error),
  });
  const handedOut = (): string[] => calls.flatMap(({ records }) => valuesOf(records));
  return {
    worker,
    calls,
    failures,
    handedOut,
    wantsMore: () => wantsMore,
    idle: () => idle,
    committable: () => committable,
  };
}

test('the handler is called with one batch at a time, in order', async () => {
  const { worker, calls, handedOut } = setUp();
  worker.open(0n);
  worker.receive(messages(0, 5));
  await settle();
  expect(handedOut()).toEqual(['0', '1', '2']);
  await calls[0]?.finish();
  expect(handedOut()).toEqual(['0', '1', '2', '3', '4']);
});

test('no more is handed out than may be undone at a time', async () => {
  const { worker, calls, handedOut } = setUp();
  worker.open(0n);
  worker.receive(messages(0, 9));
  await settle();
  await calls[0]?.finish();
  await calls[1]?.finish();
  expect(handedOut()).toHaveLength(6);
  calls[1]?.records[0]?.done();
  await settle();
  expect(handedOut()).toHaveLength(7);
});

test('records go on beyond one that is not done, so far and no further, and nothing is committed beyond it', async () => {
  const { worker, calls, handedOut } = setUp();
  worker.open(0n);
  const done = async (from: number): Promise<void> => {
    for (let at = from; at < calls.length; at += 1) {
      for (const record of calls[at]?.records ?? []) if (record.offset !== 1n) record.done();
      await calls[at]?.finish();
    }
  };
  for (let offset = 0; offset < 30; offset += 5) {
    worker.receive(messages(offset, offset + 5));
    await settle();
    for (let turn = 0; turn < 4; turn += 1) await done(0);
  }
  // Twelve, from the one that is not done on, and what came with the last of them.
  expect(handedOut().length).toBeGreaterThanOrEqual(13);
  expect(handedOut().length).toBeLessThanOrEqual(16);
  expect(worker.committable()).toBe(1n);
  calls.flatMap(({ records }) => records).forEach((record) => record.done());
  await settle();
  await done(0);
  expect(handedOut().length).toBeGreaterThan(16);
});

test('a full queue wants no more until it has drained to half', async () => {
  const { worker, calls, wantsMore } = setUp();
  worker.open(0n);
  worker.receive(messages(0, 14));
  await settle();
  expect(worker.wantsMore()).toBe(false);
  await calls[0]?.finish();
  expect([worker.wantsMore(), wantsMore()]).toEqual([false, 0]);
  for (const record of calls[0]?.records ?? []) record.done();
  await calls[1]?.finish();
  expect([worker.wantsMore(), wantsMore()]).toEqual([true, 1]);
});

test('what comes again after a join is skipped, and what is new of it is taken', async () => {
  const { worker, calls, handedOut } = setUp({ limits: { ...limits, maxOutstanding: 100 }, maxBatchRecords: 100 });
  worker.open(10n);
  worker.receive(messages(10, 20));
  await settle();
  await calls[0]?.finish();
  expect(worker.receive(messages(12, 25))).toBe('taken');
  await settle();
  expect(handedOut()).toEqual(Array.from({ length: 15 }, (_, i) => String(10 + i)));
});

test('a batch that starts too far on is refused once, and taken for a hole in the log when it comes again', () => {
  const holes: bigint[][] = [];
  const { worker } = setUp({ onHole: (...hole) => holes.push(hole) });
  worker.open(10n);
  expect(worker.receive(messages(12, 15))).toBe('reread');
  expect(worker.nextOffset()).toBe(10n);
  expect(worker.receive(messages(12, 15))).toBe('taken');
  expect(worker.nextOffset()).toBe(15n);
  expect(worker.receive(messages(20, 21))).toBe('reread');
  expect(worker.receive(messages(15, 21))).toBe('taken');
  expect(worker.nextOffset()).toBe(21n);
  expect(holes).toEqual([[10n, 12n]]);
});

test('what will never come is skipped, and committed once all before it is done', async () => {
  const { worker, calls, handedOut } = setUp();
  worker.open(0n);
  worker.receive(messages(0, 2));
  await settle();
  worker.skipTo(7n);
  expect(worker.committable()).toBeUndefined();
  expect(worker.receive(messages(7, 8))).toBe('taken');
  await calls[0]?.finish();
  expect(handedOut()).toEqual(['0', '1', '7']);
  for (const record of calls[0]?.records ?? []) record.done();
  expect(worker.committable()).toBe(7n);
  worker.skipTo(3n);
  expect(worker.nextOffset()).toBe(8n);
});

test('an offset that the group does not have yet is committed though nothing has been read', () => {
  const { worker } = setUp();
  worker.open(0n, false);
  expect(worker.committable()).toBe(0n);
  worker.committed(0n);
  expect(worker.committable()).toBeUndefined();
});

test('nothing is taken before the start offset is known', async () => {
  const { worker, handedOut } = setUp();
  worker.receive(messages(5, 8));
  expect([worker.state(), worker.nextOffset(), worker.committable()]).toEqual(['locating', undefined, undefined]);
  worker.open(0n);
  worker.receive(messages(0, 2));
  await settle();
  expect(handedOut()).toEqual(['0', '1']);
});

test('after the partition was lost the signal is aborted, and what is done late changes nothing', async () => {
  const { worker, calls, handedOut } = setUp();
  worker.open(0n);
  worker.receive(messages(0, 5));
  await settle();
  const [first, second, third] = calls[0]?.records ?? [];
  first?.done();
  expect(worker.committable()).toBe(1n);
  worker.drop();
  expect(calls[0]?.signal.aborted).toBe(true);
  second?.done();
  third?.done();
  await calls[0]?.finish();
  expect(worker.committable()).toBe(1n);
  expect(handedOut()).toHaveLength(3);
  expect(worker.receive(messages(5, 6))).toBe('taken');
  await settle();
  expect(handedOut()).toHaveLength(3);
});

test('while it is held nothing more is handed out', async () => {
  const { worker, calls, handedOut } = setUp();
  worker.open(0n);
  worker.hold();
  worker.receive(messages(0, 2));
  await settle();
  expect(calls).toEqual([]);
  worker.release();
  await settle();
  expect(handedOut()).toEqual(['0', '1']);
});

test('it is idle once the handler has returned and all is done, whichever comes last', async () => {
  const { worker, calls, idle } = setUp();
  worker.open(0n);
  worker.receive(messages(0, 1));
  await settle();
  await calls[0]?.finish();
  expect([worker.idle(), idle()]).toEqual([false, 0]);
  calls[0]?.records[0]?.done();
  expect([worker.idle(), idle()]).toEqual([true, 1]);
  worker.receive(messages(1, 2));
  await settle();
  calls[1]?.records[0]?.done();
  expect(worker.idle()).toBe(false);
  await calls[1]?.finish();
  expect(worker.idle()).toBe(true);
});

test('a handler that throws fails the consumer, unless its partition is lost', async () => {
  const thrown = new TypeError('fetch failed');
  const failing = setUp({ handle: () => Promise.reject(thrown) });
  failing.worker.open(0n);
  failing.worker.receive(messages(0, 9));
  await settle();
  expect(failing.failures).toEqual([thrown]);

  const gate = Promise.withResolvers<void>();
  const lost = setUp({ handle: () => gate.promise });
  lost.worker.open(0n);
  lost.worker.receive(messages(0, 9));
  await settle();
  lost.worker.drop();
  gate.reject(new Error('aborted'));
  await lost.worker.returned();
  expect(lost.failures).toEqual([]);
});

test('a partition that comes back waits for the handler of its former worker', async () => {
  const former = Promise.withResolvers<void>();
  const { worker, handedOut } = setUp({ after: former.promise });
  worker.open(0n);
  worker.receive(messages(0, 1));
  await settle();
  expect(handedOut()).toEqual([]);
  former.resolve();
  await settle();
  await settle();
  expect(handedOut()).toEqual(['0']);
});

test('whatever is done when, each record is handed out once, in order, and only what is done is committable', async () => {
  const actions = fc.array(
    fc.oneof(
      fc.record({ fetch: fc.integer({ min: 1, max: 8 }), from: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ done: fc.nat() }),
      fc.constant('return' as const),
    ),
    { maxLength: 80 },
  );
  await fc.assert(
    fc.asyncProperty(actions, async (steps) => {
      const { worker, calls, handedOut } = setUp();
      worker.open(0n);
      const done = new Set<bigint>();
      for (const step of steps) {
        if (step === 'return') await calls.at(-1)?.finish();
        else if ('fetch' in step) {
          // A fetch may begin with what was read before.
          const next = Number(worker.nextOffset());
          worker.receive(messages(Math.max(0, next - step.from), next + step.fetch));
        } else {
          const open = calls.flatMap(({ records }) => records).filter(({ offset }) => !done.has(offset));
          const record = open[step.done % open.length];
          if (record !== undefined) {
            done.add(record.offset);
            record.done();
          }
        }
        await settle();
        const handed = handedOut().map(BigInt);
        expect(handed).toEqual(handed.map((_, i) => BigInt(i)));
        let lowestUndone = 0n;
        while (done.has(lowestUndone)) lowestUndone += 1n;
        expect(worker.committable()).toBe(lowestUndone === 0n ? undefined : lowestUndone);
      }
    }),
    { numRuns: 50 },
  );
});

test('it tells of what may be committed: what is done, what was skipped, and an offset that the group does not have', () => {
  const { worker, committable } = setUp();
  worker.open(0n);
  const opened = committable();
  worker.receive(messages(0, 1));
  worker.take({ records: 1, bytes: 100 }, true)[0]?.done();
  worker.skipTo(5n);
  worker.skipTo(5n);
  expect([committable() - opened, worker.committable()]).toEqual([2, 5n]);
  const renewed = setUp();
  renewed.worker.open(7n, false);
  expect([renewed.committable(), renewed.worker.committable()]).toEqual([1, 7n]);
});
