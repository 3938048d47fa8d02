import type { Candidate } from '#lib/dedup-store';
import { type Logger, silentLogger } from '#lib/runtime';
import { recordOf } from './records.ts';
import { Crash, createWorker, createWorld, never, refuse, topics, type Worker, type World } from './world.ts';

let world: World;
let worker: Worker;
beforeEach(() => {
  world = createWorld();
  worker = createWorker(world);
});

const origin = (offset: number): string => `${topics['webhooks.received']}-0-${offset}`;
const refusedByTable =
  (...offsets: number[]) =>
  (candidate: Candidate): boolean =>
    offsets.some((offset) => candidate.origin === origin(offset));
/** Kafka refuses the events of these records: too large, say. */
const refuseEventsOf = (...offsets: number[]): void => {
  world.kafka.beforeSend = (record) => {
    if (record.topic !== topics.events) return;
    if (offsets.some((offset) => record.value.includes(`rcp_0_${offset}`))) refuse();
  };
};
const originsOf = (records: { origin: string }[]): string[] => records.map((record) => record.origin).sort();
const allTries = 60_000;

describe.each([
  ['the table refuses', (offset: number) => void (world.table.refuses = refusedByTable(offset))],
  ['Kafka refuses', (offset: number) => refuseEventsOf(offset)],
])('a record that %s', (_what, refuseRecord) => {
  it('does not hold up its neighbours, and is not done before its dead letter is written', async () => {
    refuseRecord(2);
    const records = [1, 2, 3].map((offset) => recordOf({ id: `id ${offset}`, offset }));
    await worker.handle(records, never);
    expect(records.map((record) => record.isDone())).toEqual([true, false, true]);
    expect(world.kafka.deadLetters()).toEqual([]);

    const { beforeSend } = world.kafka;
    const doneAtDeadLetter: boolean[] = [];
    world.kafka.beforeSend = (sent) => {
      if (sent.topic === topics['dead-letters']) doneAtDeadLetter.push(records[1]?.isDone() === true);
      beforeSend(sent);
    };
    await world.clock.advance(allTries);
    await worker.idle();
    expect(doneAtDeadLetter).toEqual([false]);
    expect(records.map((record) => record.isDone())).toEqual([true, true, true]);
  });

  it('is dead-lettered after three tries, with its key, headers and bytes', async () => {
    refuseRecord(1);
    const record = recordOf({ id: 'a', offset: 1 });
    await worker.handle([record], never);
    await world.clock.advance(allTries);
    await worker.idle();

    expect(world.kafka.deadLetters()).toEqual([
      expect.objectContaining({ stage: 'dedup', reason: 'data_invalid', attempts: 3, origin: origin(1) }),
    ]);
    expect(world.kafka.deadLetters()[0]?.record).toMatchObject({
      key: record.key,
      value: record.value,
      headers: record.rawHeaders,
    });
    expect(world.kafka.events()).toEqual([]);
    expect([await worker.count('failed'), await worker.deadLetters('data_invalid')]).toEqual([1, 1]);
    expect(worker.failures).toEqual([]);
  });

  it('keeps the origin where it first stood in its dead letter, and somebody is told', async () => {
    refuseRecord(1);
    const told: object[] = [];
    const log: Logger = { ...silentLogger, error: (fields: object) => void told.push(fields), isOn: () => true };
    const replayed = recordOf({ id: 'a', offset: 1, origin: origin(1) });
    const other = createWorker(world, { log });
    await other.handle([{ ...replayed, offset: 90n }], never);
    await world.clock.advance(allTries);
    await other.idle();
    expect(originsOf(world.kafka.deadLetters())).toEqual([origin(1)]);
    expect(told).toMatchObject([{ event: 'record.dead_lettered', origin: origin(1), tries: 3 }]);
    expect(await other.deadLetters('data_invalid')).toBe(1);
  });

  it('pauses between its tries', async () => {
    refuseRecord(1);
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    await world.clock.advance(1_500);
    expect(world.kafka.deadLetters()).toEqual([]);
    await world.clock.advance(allTries);
    expect(world.kafka.deadLetters()).toHaveLength(1);
  });

  it('becomes an event where a later try goes through', async () => {
    refuseRecord(1);
    const record = recordOf({ id: 'a', offset: 1 });
    await worker.handle([record], never);
    world.table.refuses = () => false;
    world.kafka.beforeSend = () => undefined;
    await world.clock.advance(allTries);
    await worker.idle();
    expect(originsOf(world.kafka.events())).toEqual([origin(1)]);
    expect(world.kafka.deadLetters()).toEqual([]);
    expect(record.isDone()).toBe(true);
  });

  it('leaves nothing behind: the next record of its key is the first', async () => {
    refuseRecord(1);
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    await world.clock.advance(allTries);
    await worker.idle();
    await createWorker(world).handle([recordOf({ id: 'a', offset: 2 })], never);
    expect(originsOf(world.kafka.events())).toEqual([origin(2)]);
  });

  it('does not make duplicates of the records that followed it in its batch: one of them becomes the event', async () => {
    refuseRecord(1);
    const records = [1, 2, 3].map((offset) => recordOf({ id: 'a', offset }));
    await worker.handle(records, never);
    expect(world.kafka.duplicates()).toEqual([]);
    await world.clock.advance(allTries);
    await worker.idle();

    expect(originsOf(world.kafka.deadLetters())).toEqual([origin(1)]);
    expect(originsOf(world.kafka.events())).toEqual([origin(2)]);
    expect(originsOf(world.kafka.duplicates())).toEqual([origin(3)]);
    expect(records.every((record) => record.isDone())).toBe(true);
  });

  it('lets another record of its key be the event while it waits, and is then its duplicate', async () => {
    refuseRecord(1);
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    // A set-aside record continues in the background: let it release the key.
    await new Promise(setImmediate);
    await createWorker(world).handle([recordOf({ id: 'a', offset: 2 })], never);
    expect(originsOf(world.kafka.events())).toEqual([origin(2)]);
    world.table.refuses = () => false;
    await world.clock.advance(allTries);
    await worker.idle();
    expect(originsOf(world.kafka.duplicates())).toEqual([origin(1)]);
    expect(originsOf(world.kafka.events())).toEqual([origin(2)]);
  });

  it('is left undone, without a dead letter, when the partition is lost', async () => {
    refuseRecord(1);
    const lost = new AbortController();
    const record = recordOf({ id: 'a', offset: 1, signal: lost.signal });
    await worker.handle([record], lost.signal);
    lost.abort();
    await worker.idle();
    expect(world.kafka.deadLetters()).toEqual([]);
    expect(record.isDone()).toBe(false);
    expect(worker.failures).toEqual([]);
  });

  it('is gone on with when its partition is lost, while one of its key in another partition waits for its end', async () => {
    refuseRecord(1);
    const lost = new AbortController();
    const records = [
      recordOf({ id: 'a', offset: 1, signal: lost.signal }),
      recordOf({ id: 'a', offset: 2, partition: 1 }),
    ];
    await worker.handle(records, never);
    lost.abort();
    await world.clock.advance(allTries);
    await worker.idle();
    expect(records[1]?.isDone()).toBe(true);
    expect(originsOf(world.kafka.events())).toEqual([`${topics['webhooks.received']}-1-2`]);
    expect(world.kafka.duplicates()).toEqual([]);
  });
});

describe('a record that fails, with a row from a worker that died', () => {
  it('keeps its key: the worker may have published its event, so no other record of the key becomes one', async () => {
    const crashAt = { point: 'dedup.after-insert' } as const;
    const dying = createWorker(world, { crashAt }).handle([recordOf({ id: 'a', offset: 2 })], never);
    await expect(dying).rejects.toThrow(Crash);
    refuseEventsOf(2);
    await worker.handle(
      [1, 2, 3].map((offset) => recordOf({ id: 'a', offset })),
      never,
    );
    expect(world.kafka.duplicates()).toEqual([]);
    await world.clock.advance(allTries);
    await worker.idle();
    expect(originsOf(world.kafka.deadLetters())).toEqual([origin(2)]);
    expect(originsOf(world.kafka.events())).toEqual([]);
    expect(originsOf(world.kafka.duplicates())).toEqual([origin(1), origin(3)]);
  });
});

describe('records set aside', () => {
  it('come to their ends each by itself, where a whole batch is bad', async () => {
    world.table.refuses = () => true;
    const records = Array.from({ length: 300 }, (_, offset) => recordOf({ id: `id ${offset}`, offset }));
    const handled = worker.handle(records, never);
    await world.clock.advance(2 * allTries);
    await handled;
    await worker.idle();
    expect(world.kafka.deadLetters()).toHaveLength(300);
    expect(records.every((record) => record.isDone())).toBe(true);
  });

  it('slow the partition down when they are too many, instead of filling the memory', async () => {
    world.table.refuses = () => true;
    let handled = false;
    const records = Array.from({ length: 300 }, (_, offset) => recordOf({ id: `id ${offset}`, offset }));
    const handling = worker.handle(records, never).then(() => (handled = true));
    await world.clock.advance(500);
    expect(handled).toBe(false);
    await world.clock.advance(2 * allTries);
    await handling;
  });

  it('wait for an outage in the middle of their tries, and spend none on it', async () => {
    world.table.refuses = refusedByTable(1);
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    world.table.state = 'away';
    await world.clock.advance(3600_000);
    expect(world.kafka.deadLetters()).toEqual([]);
    world.table.state = 'up';
    await world.clock.advance(allTries);
    expect(world.kafka.deadLetters()).toMatchObject([{ attempts: 3 }]);
  });

  it('are kept in Postgres where the dead-letter topic refuses the dead letter, and hold nothing up', async () => {
    world.kafka.beforeSend = (record) => {
      if (record.topic !== topics.duplicates) refuse();
    };
    const record = recordOf({ id: 'a', offset: 1 });
    await worker.handle([record], never);
    await world.clock.advance(allTries);
    await worker.idle();
    expect(world.kafka.deadLetters()).toEqual([]);
    expect(world.kept).toMatchObject([
      { died: { value: record.value }, facts: { stage: 'dedup', reason: 'data_invalid', attempts: 3 } },
    ]);
    expect(record.isDone()).toBe(true);
  });

  it('end the process where something goes wrong that nobody foresaw', async () => {
    world.table.refuses = refusedByTable(1);
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    world.table.remove = async () => {
      throw new TypeError('a bug');
    };
    await world.clock.advance(allTries);
    await worker.idle();
    expect(worker.failures).toMatchObject([{ code: 'bug', message: 'a bug' }]);
  });
});

describe('a duplicate that Kafka refuses', () => {
  it('is dead-lettered by itself; the event and the other duplicates stand', async () => {
    world.kafka.beforeSend = (record) => {
      if (record.topic === topics.duplicates && record.value.includes('rcp_0_2')) refuse();
    };
    await worker.handle(
      [1, 2, 3].map((offset) => recordOf({ id: 'a', offset })),
      never,
    );
    await world.clock.advance(allTries);
    await worker.idle();
    expect(originsOf(world.kafka.events())).toEqual([origin(1)]);
    expect(originsOf(world.kafka.duplicates())).toEqual([origin(3)]);
    expect(originsOf(world.kafka.deadLetters())).toEqual([origin(2)]);
  });
});
