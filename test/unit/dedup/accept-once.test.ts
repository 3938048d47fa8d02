import { header } from '#lib/contract';
import { second, startMicros } from '../dedup-store/candidates.ts';
import { rawRecordOf, recordOf } from './records.ts';
import { away, createWorker, createWorld, never, topics, type World } from './world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});

const origin = (offset: number, partition = 0): string => `${topics['webhooks.received']}-${partition}-${offset}`;

describe('a batch of received records', () => {
  it('becomes events, each with all that is known of its webhook, and is done', async () => {
    const worker = createWorker(world);
    const records = [recordOf({ id: 'a', offset: 1 }), recordOf({ id: 'b', offset: 2, orderingKey: 'customer-7' })];
    await worker.handle(records, never);

    const [first, second_] = world.kafka.events();
    expect(first).toEqual({
      id: expect.stringMatching(/^evt_/) as unknown,
      tenant: 'default',
      source_id: 'src_1',
      event_id: 'a',
      type: 'test.happened',
      receipt_id: 'rcp_0_1',
      origin: origin(1),
      received_at: startMicros,
      dedup_key: expect.any(Uint8Array) as unknown,
      content_type: 'application/json',
      content_encoding: null,
      http_headers: { 'user-agent': 'test' },
      request: null,
      tags: {},
      ordering_key: null,
      payload: expect.any(Uint8Array) as unknown,
    });
    expect(Buffer.from(first?.payload ?? []).toString()).toBe('{"id":"a","type":"test.happened"}');
    expect(world.kafka.written.map(({ key }) => key)).toEqual([first?.id, 'customer-7']);
    expect(second_?.ordering_key).toBe('customer-7');
    expect(world.kafka.written.map(({ headers }) => headers)).toEqual(
      records.map((record) => ({ traceparent: record.headers[header.traceparent] })),
    );
    expect(records.every((record) => record.isDone())).toBe(true);
    expect(await worker.count('first')).toBe(2);
  });

  it('is two round trips to Redis and two statements, however many keys it has', async () => {
    const records = Array.from({ length: 500 }, (_, offset) => recordOf({ id: `id ${offset}`, offset }));
    await createWorker(world).handle(records, never);
    expect(world.memory.calls).toEqual(['recall', 'remember']);
    expect(world.table.calls).toEqual(['insert', 'complete']);
  });

  it('makes duplicates of all but the first of a key, and tells those whose body changed', async () => {
    const worker = createWorker(world);
    const records = [
      recordOf({ id: 'a', offset: 1 }),
      recordOf({ id: 'b', offset: 2 }),
      recordOf({ id: 'a', offset: 3 }),
      recordOf({ id: 'a', offset: 4, body: '{"id":"a","changed":true}', address: '::ffff:192.0.2.7' }),
    ];
    await worker.handle(records, never);

    const events = world.kafka.events();
    expect(events.map((event) => event.origin)).toEqual([origin(1), origin(2)]);
    const key = Buffer.from(events[0]?.dedup_key ?? []).toString('hex');
    const duplicateOf = (offset: number, changed: boolean, body_hash: string) => ({
      tenant: 'default',
      source_id: 'src_1',
      receipt_id: `rcp_0_${offset}`,
      origin: origin(offset),
      received_at: startMicros,
      dedup_key: key,
      event_id: events[0]?.id,
      event_id_end: events[0]?.id.slice(-2),
      body_hash,
      changed,
      client_address: offset === 4 ? '192.0.2.7' : null,
    });
    expect(world.kafka.duplicates()).toEqual([
      duplicateOf(3, false, '49833fee549adcca'),
      duplicateOf(4, true, '5bbad8a583b3a705'),
    ]);
    expect(world.kafka.written.find(({ topic }) => topic === topics.duplicates)?.key).toBe(key);
    expect([
      await worker.count('first'),
      await worker.count('duplicate'),
      await worker.count('duplicate_changed'),
    ]).toEqual([2, 1, 1]);
  });

  it('settles duplicates of earlier batches without Postgres', async () => {
    const worker = createWorker(world);
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    world.table.state = 'away';
    const again = [recordOf({ id: 'a', offset: 2 }), recordOf({ id: 'a', offset: 3, body: '{"id":"a"}' })];
    await worker.handle(again, never);
    const [event] = world.kafka.events();
    expect(world.kafka.duplicates()).toMatchObject(
      [false, true].map((changed) => ({ event_id: null, event_id_end: event?.id.slice(-2), changed })),
    );
    expect(again.every((record) => record.isDone())).toBe(true);
  });

  it('skips a record that comes again after its event was completed', async () => {
    await createWorker(world).handle([recordOf({ id: 'a', offset: 1 })], never);
    const worker = createWorker(world);
    const again = recordOf({ id: 'a', offset: 1 });
    await worker.handle([again], never);
    expect(again.isDone()).toBe(true);
    expect(world.kafka.written).toHaveLength(1);
    expect(await worker.count('republished')).toBe(0);
  });

  it('keeps the origin of a record that was written again', async () => {
    const first = recordOf({ id: 'a', offset: 1 });
    await createWorker(world).handle([first], never);
    const replayed = {
      ...recordOf({ id: 'a', offset: 90 }),
      headers: { ...first.headers, [header.origin]: origin(1) },
    };
    await createWorker(world).handle([replayed], never);
    expect(world.kafka.written).toHaveLength(1);
  });

  it('goes on with Postgres alone while Redis is away, at once', async () => {
    const worker = createWorker(world);
    world.memory.state = 'refusing';
    await worker.handle([recordOf({ id: 'a', offset: 1 }), recordOf({ id: 'a', offset: 2 })], never);
    await worker.handle([recordOf({ id: 'a', offset: 3 })], never);
    expect(world.kafka.events()).toHaveLength(1);
    expect(world.kafka.duplicates()).toHaveLength(2);
    expect(world.clock.nowMs() * 1000).toBe(startMicros);
  });

  it('is new again when it was received after its key expired, also within one batch that waited', async () => {
    const worker = createWorker(world);
    await worker.handle([recordOf({ id: 'a', offset: 1, ttlSeconds: 60 })], never);
    await world.clock.advance(1000_000);
    const batch = [59, 60, 61].map((seconds, index) =>
      recordOf({ id: 'a', offset: 2 + index, ttlSeconds: 60, receivedAt: startMicros + seconds * second }),
    );
    await worker.handle(batch, never);
    expect(world.kafka.events().map((event) => event.origin)).toEqual([origin(1), origin(3)]);
    expect(world.kafka.duplicates().map((duplicate) => duplicate.origin)).toEqual([origin(2), origin(4)]);
    expect(world.kafka.duplicates().map((duplicate) => duplicate.event_id)).toEqual(
      world.kafka.events().map((event) => event.id),
    );
  });

  it.each<[string, () => Promise<unknown>]>([
    ['Redis and the table still have its key', async () => undefined],
    ['Redis has lost everything', async () => world.memory.flushAll()],
    ['the key was swept', () => world.table.dropExpired(0, 10)],
  ])('is new again after its key expired, judged by its receipt alone: %s', async (_what, between) => {
    const worker = createWorker(world);
    await worker.handle([recordOf({ id: 'a', offset: 1, ttlSeconds: 60 })], never);
    await world.clock.advance(100_000);
    await between();
    await worker.handle([recordOf({ id: 'a', offset: 2, receivedAt: startMicros + 60 * second })], never);
    expect(world.kafka.events().map((event) => event.origin)).toEqual([origin(1), origin(2)]);
  });

  it('is a duplicate still where it was received before the expiry and waited until long after, whatever Redis has', async () => {
    const worker = createWorker(world);
    await worker.handle([recordOf({ id: 'a', offset: 1, ttlSeconds: 60 })], never);
    await world.clock.advance(24 * 3600_000);
    for (const offset of [2, 3]) {
      world.memory.flushAll();
      await worker.handle([recordOf({ id: 'a', offset, receivedAt: startMicros + 60 * second - 1 })], never);
    }
    expect(world.kafka.events()).toHaveLength(1);
    expect(world.kafka.duplicates()).toHaveLength(2);
  });

  it.each([
    [0, 60],
    [1, 60],
    [1e15, 30 * 24 * 3600],
  ])('takes a time to live of %d s for %d s: what is beyond a source’s limits fails nothing', async (given, taken) => {
    const record = recordOf({ id: 'a', offset: 1 });
    const headers = { ...record.headers, [header.dedupTtlSeconds]: String(given) };
    const spied: number[] = [];
    const worker = createWorker(world, {
      breakTable: (table) => ({
        ...table,
        complete: async (candidates) => {
          spied.push(...candidates.map(({ ttlSeconds }) => ttlSeconds));
          return table.complete(candidates);
        },
      }),
    });
    await worker.handle([{ ...record, headers }], never);
    expect(spied).toEqual([taken]);
  });
});

describe('while a dependency is away', () => {
  it.each([
    ['Postgres', (down: boolean) => void (world.table.state = down ? 'away' : 'up')],
    ['Kafka', (down: boolean) => void (world.kafka.beforeSend = down ? away : () => undefined)],
  ])('a batch waits for %s, for however long, and spends no try', async (_name, takeAway) => {
    const worker = createWorker(world);
    takeAway(true);
    const records = [recordOf({ id: 'a', offset: 1 }), recordOf({ id: 'b', offset: 2 })];
    const handled = worker.handle(records, never);
    await world.clock.advance(3600_000);
    expect(records.some((record) => record.isDone())).toBe(false);

    takeAway(false);
    await world.clock.advance(5_000);
    await handled;
    expect(records.every((record) => record.isDone())).toBe(true);
    expect(world.kafka.events()).toHaveLength(2);
    expect(world.kafka.deadLetters()).toEqual([]);
  });

  it('no duplicate is done before its record is acknowledged', async () => {
    const worker = createWorker(world);
    world.kafka.beforeSend = (record) => {
      if (record.topic === topics.duplicates) away();
    };
    const records = [recordOf({ id: 'a', offset: 1 }), recordOf({ id: 'a', offset: 2 })];
    const handled = worker.handle(records, never);
    await world.clock.advance(60_000);
    expect(world.kafka.events()).toHaveLength(1);
    expect(records[1]?.isDone()).toBe(false);
    world.kafka.beforeSend = () => undefined;
    await world.clock.advance(5_000);
    await handled;
    expect(world.kafka.duplicates()).toHaveLength(1);
    expect(records[1]?.isDone()).toBe(true);
  });

  it('a batch is given up, undone, when the partition is lost', async () => {
    world.table.state = 'away';
    const lost = new AbortController();
    const record = recordOf({ id: 'a', offset: 1 });
    const handled = createWorker(world).handle([record], lost.signal);
    await world.clock.advance(10_000);
    lost.abort();
    await handled;
    expect(record.isDone()).toBe(false);
  });
});

describe('a record that can’t be read', () => {
  it('is dead-lettered at once, as it came, is done when that is written, and its neighbours go on', async () => {
    const worker = createWorker(world);
    const broken = rawRecordOf({ partition: 3, offset: 7, headers: { 'x-any': 'header' }, body: '\u0000 any bytes' });
    const good = recordOf({ id: 'a', offset: 8, partition: 3 });
    const doneAtDeadLetter: boolean[] = [];
    world.kafka.beforeSend = ({ topic }) => {
      if (topic === topics['dead-letters']) doneAtDeadLetter.push(broken.isDone());
    };
    await worker.handle([broken, good], never);

    expect(doneAtDeadLetter).toEqual([false]);
    const [deadLetter] = world.kafka.deadLetters();
    expect(deadLetter).toMatchObject({
      stage: 'dedup',
      reason: 'malformed_record',
      attempts: 1,
      origin: origin(7, 3),
      at: startMicros,
    });
    expect(deadLetter?.record).toMatchObject({
      key: Buffer.from('original key'),
      value: Buffer.from('\u0000 any bytes'),
      headers: { 'x-any': Buffer.from('header') },
    });
    expect([broken.isDone(), good.isDone()]).toEqual([true, true]);
    expect(world.kafka.events()).toHaveLength(1);
    expect([await worker.count('failed'), await worker.deadLetters('malformed_record')]).toEqual([1, 1]);
  });
});
