/** Rows of published events are completed together, and records are done after it. */
import type { Candidate } from '#lib/dedup-store';
import { exact, sumUp } from './sum.ts';
import { recordOf } from './records.ts';
import { createWorker, createWorld, never, topics, type Worker, type World } from './world.ts';

const gatherMs = 200;

let world: World;
let worker: Worker;
/** The candidates of each statement. */
let completed: Candidate[][];
beforeEach(() => {
  world = createWorld();
  completed = [];
  worker = createWorker(world, {
    completeWithinMs: gatherMs,
    breakTable: (table) => ({
      ...table,
      complete: (candidates) => {
        completed.push([...candidates]);
        return table.complete(candidates);
      },
    }),
  });
});

const originOf = (offset: number, partition = 0): string => `${topics['webhooks.received']}-${partition}-${offset}`;
const rowOf = (offset: number) => {
  const candidate = completed.flat().find(({ origin }) => origin === originOf(offset));
  return candidate && world.table.row(candidate);
};
const areDone = (records: readonly { isDone(): boolean }[]): boolean[] => records.map((record) => record.isDone());

it('one statement for the batches of 200 ms, of all partitions; no record is done before, and no call waits for it', async () => {
  const records = [0, 1, 2, 3].map((n) => recordOf({ id: `id ${n}`, offset: n, partition: n % 2 }));
  for (const record of records) await worker.handle([record], never);
  expect(world.kafka.events()).toHaveLength(4);
  await world.clock.advance(gatherMs - 1);
  expect(areDone(records)).toEqual([false, false, false, false]);

  await world.clock.advance(1);
  await worker.completed();
  expect(areDone(records)).toEqual([true, true, true, true]);
  expect(completed.map((candidates) => candidates.length)).toEqual([4]);
  expect(world.memory.calls.filter((call) => call === 'remember')).toHaveLength(1);
  expect(await worker.count('first')).toBe(4);
});

it('a record is not done while its row is being completed', async () => {
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { complete } = world.table;
  world.table.complete = async (candidates) => {
    asked.resolve();
    await answer.promise;
    return complete(candidates);
  };
  const slow = createWorker(world, { completeWithinMs: gatherMs });
  const record = recordOf({ id: 'a', offset: 1 });
  await slow.handle([record], never);
  await world.clock.advance(gatherMs);
  await asked.promise;
  expect(record.isDone()).toBe(false);
  answer.resolve();
  await slow.completed();
  expect(record.isDone()).toBe(true);
});

it.each([
  ['rows', Array.from({ length: 500 }, (_, offset) => recordOf({ id: `id ${offset}`, offset }))],
  [
    'bytes',
    Array.from({ length: 5 }, (_, offset) =>
      recordOf({ id: '', offset, body: JSON.stringify({ id: offset, text: 'x'.repeat(1024 * 1024) }) }),
    ),
  ],
])('enough %s are completed at once', async (_what, records) => {
  await worker.handle(records, never);
  await worker.completed();
  expect(records.every((record) => record.isDone())).toBe(true);
  expect(completed).toHaveLength(1);
});

it('a statement has 500 rows at most', async () => {
  const records = Array.from({ length: 1_200 }, (_, offset) => recordOf({ id: `id ${offset}`, offset }));
  for (const batch of [records.slice(0, 600), records.slice(600)]) await worker.handle(batch, never);
  await world.clock.advance(gatherMs);
  await worker.completed();
  expect(records.every((record) => record.isDone())).toBe(true);
  expect(Math.max(...completed.map((candidates) => candidates.length))).toBe(500);
});

describe('before the row is completed', () => {
  it('a repeat of its key is a duplicate, in the same process and in another, and done at once', async () => {
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    const repeats = [recordOf({ id: 'a', offset: 2 }), recordOf({ id: 'a', offset: 1, partition: 1 })] as const;
    await worker.handle([repeats[0]], never);
    await createWorker(world).handle([repeats[1]], never);
    expect(world.kafka.duplicates().map(({ origin }) => origin)).toEqual([originOf(2), originOf(1, 1)]);
    expect(areDone(repeats)).toEqual([true, true]);
  });

  it('the event survives the process, though its duplicates are done: its record comes again', async () => {
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    await worker.handle([recordOf({ id: 'a', offset: 2 })], never);
    // The process is gone, and with it what was gathered.
    const again = recordOf({ id: 'a', offset: 1 });
    const successor = createWorker(world);
    await successor.handle([again], never);
    expect(again.isDone()).toBe(true);
    expect(await successor.count('republished')).toBe(1);
    expect(
      sumUp(
        world.kafka,
        [1, 2].map((offset) => originOf(offset)),
      ),
    ).toEqual(exact);
    expect(new Set(world.kafka.events().map(({ id }) => id)).size).toBe(1);
  });

  it('its record comes again to the same process, whose partition was lost meanwhile: it is not published twice', async () => {
    const lost = new AbortController();
    await worker.handle([recordOf({ id: 'a', offset: 1, signal: lost.signal })], lost.signal);
    lost.abort();
    const again = [recordOf({ id: 'a', offset: 1 }), recordOf({ id: 'a', offset: 2 })];
    await worker.handle(again, never);
    expect(world.kafka.events()).toHaveLength(1);
    expect(areDone(again)).toEqual([false, false]);
    await world.clock.advance(gatherMs);
    await worker.completed();
    expect(areDone(again)).toEqual([true, true]);
    expect(world.kafka.duplicates().map(({ origin }) => origin)).toEqual([originOf(2)]);
  });

  it('the table may lose its row, and the key go to another: no statement has a key twice', async () => {
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    world.table.forget();
    const records = [recordOf({ id: 'a', offset: 2 }), recordOf({ id: 'b', offset: 3 })];
    await worker.handle(records, never);
    await world.clock.advance(gatherMs);
    await worker.completed();
    expect(areDone(records)).toEqual([true, true]);
    expect(completed.map((candidates) => candidates.map(({ origin }) => origin))).toEqual([
      [originOf(1), originOf(3)],
      [originOf(2)],
    ]);
  });
});

describe('rows of a lost partition', () => {
  it('are left to its next owner, and those of others are completed', async () => {
    const lost = new AbortController();
    const theirs = recordOf({ id: 'a', offset: 1, partition: 1, signal: lost.signal });
    const ours = recordOf({ id: 'b', offset: 2 });
    await worker.handle([theirs, ours], never);
    lost.abort();
    await world.clock.advance(gatherMs);
    await worker.completed();
    expect(completed.map((candidates) => candidates.map(({ origin }) => origin))).toEqual([[originOf(2)]]);
    expect(areDone([theirs, ours])).toEqual([false, true]);
  });

  it('are waited for no more, also while Postgres is away', async () => {
    const lost = new AbortController();
    await worker.handle([recordOf({ id: 'a', offset: 1, signal: lost.signal })], lost.signal);
    world.table.state = 'away';
    await world.clock.advance(60_000);
    lost.abort();
    await world.clock.advance(5_000);
    await worker.completed();
    expect(worker.failures).toEqual([]);
  });
});

it('while Postgres is away they wait, those of later batches together', async () => {
  const first = recordOf({ id: 'a', offset: 1 });
  await worker.handle([first], never);
  world.table.state = 'away';
  await world.clock.advance(3_600_000);
  expect(first.isDone()).toBe(false);
  world.table.state = 'up';
  const later = [2, 3].map((offset) => recordOf({ id: `id ${offset}`, offset }));
  for (const record of later) await worker.handle([record], never);
  await world.clock.advance(5_000);
  await worker.completed();
  expect(areDone([first, ...later])).toEqual([true, true, true]);
  expect(completed.at(-1)).toHaveLength(2);
  expect(worker.failures).toEqual([]);
});

it('a tenant’s locked row holds up no row of others, and is completed when the lock is given back', async () => {
  const given = (offset: number, tenant: string) => recordOf({ id: `id ${offset}`, offset, tenant });
  const records = [given(1, 't'), given(2, 'u'), given(3, 'v')];
  for (const record of records) await worker.handle([record], never);
  world.table.locked.add('t');
  await world.clock.advance(gatherMs);
  await worker.completed();
  expect(areDone(records)).toEqual([false, true, true]);

  // Later rows of others do not even try the lock.
  const later = [given(4, 'u'), given(5, 'v')];
  for (const record of later) await worker.handle([record], never);
  const before = completed.length;
  await world.clock.advance(gatherMs);
  await worker.completed();
  expect(areDone(later)).toEqual([true, true]);
  const ofOthers = completed.slice(before).filter((candidates) => candidates.some(({ tenant }) => tenant !== 't'));
  expect(ofOthers.map((candidates) => candidates.map(({ tenant }) => tenant))).toEqual([['u', 'v']]);

  world.table.locked.clear();
  await world.clock.advance(2_000);
  expect(areDone(records)).toEqual([true, true, true]);
  expect(rowOf(1)?.expiresAt).toEqual(expect.any(Number));
  expect(worker.failures).toEqual([]);
});

it('a row that can’t be completed ends the process, and its record is not done', async () => {
  const record = recordOf({ id: 'a', offset: 1 });
  await worker.handle([record], never);
  world.table.refuses = () => true;
  await world.clock.advance(gatherMs);
  await worker.completed();
  expect(worker.failures).toHaveLength(1);
  expect(record.isDone()).toBe(false);
});
