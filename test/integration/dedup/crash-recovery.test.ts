import type { DedupStore } from '#lib/dedup-store';
import type { CrashPointName } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';
import { conflictIsDone, conflictIsDuplicate } from '../../unit/dedup/mutants.ts';
import { recordOf, type TestRecord } from '../../unit/dedup/records.ts';
import { exact, type Sum, sumUp } from '../../unit/dedup/sum.ts';
import { Crash, createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.stopServices());
afterAll(() => world.stop());

const never = new AbortController().signal;
const second = 1_000_000;
let runs = 0;

/** Records in which every key comes three times; each call of `again` gives the same ones again, like a redelivery. */
function deliveries(keys = 40) {
  const run = (runs += 1);
  const receivedAt = Date.now() * 1000;
  const again = (): TestRecord[] =>
    Array.from({ length: keys * 3 }, (_, offset) =>
      recordOf({
        topic: world.topics['webhooks.received'],
        id: `run ${run} key ${(offset * 7) % keys}`,
        offset,
        partition: run,
        receivedAt,
      }),
    );
  const origins = again().map(({ topic, partition, offset }) => `${topic}-${partition}-${offset}`);
  const sum = async (): Promise<Sum> => sumUp(await outcomesOf(origins), origins);
  return { again, origins, sum, keys };
}
const outcomesOf = async (origins: readonly string[]) => {
  const all = await world.outcomes();
  const ours = ({ origin }: { origin: string }): boolean => origins.includes(origin);
  return {
    events: () => all.events().filter(ours),
    duplicates: () => all.duplicates().filter(ours),
    deadLetters: () => all.deadLetters().filter(ours),
  };
};
const isDone = (record: TestRecord): boolean => record.isDone();

const points: CrashPointName[] = [
  'dedup.after-claim',
  'dedup.after-insert',
  'dedup.after-publish',
  'dedup.before-commit',
];
const situations: [string, () => Promise<unknown>][] = [
  ['at once', async () => undefined],
  ['after Redis has lost everything', () => world.redis.flushAll()],
  ['after Redis has died', () => world.redis.stop()],
];

describe.each(points)('a worker that dies at %s', (point) => {
  it.each(situations)('loses nothing and makes no second event id: its successor comes %s', async (_when, between) => {
    const { again, origins, sum, keys } = deliveries();
    const dying = await world.startWorker({ crashAt: point });
    const records = again();
    await expect(dying.handle(records, never)).rejects.toThrow(Crash);
    expect(records.some(isDone)).toBe(false);

    await between();
    const redelivered = again();
    await (await world.startWorker()).handle(redelivered, never);
    await (await world.startWorker()).handle(again(), never);
    if (between === situations[2]?.[1]) await world.redis.start();
    expect(redelivered.every(isDone)).toBe(true);
    expect(await sum()).toEqual(exact);
    expect(new Set((await outcomesOf(origins)).events().map(({ id }) => id)).size).toBe(keys);
  });
});

describe('without a protection', () => {
  it.each<[string, (store: DedupStore) => DedupStore, keyof Sum]>([
    ['an own row is taken for another’s', conflictIsDuplicate, 'orphaned'],
    ['an own row is taken for a published event', conflictIsDone, 'lost'],
  ])('the same check finds lost events: %s', async (_what, breakStore, symptom) => {
    const { again, sum } = deliveries();
    const dying = await world.startWorker({ crashAt: 'dedup.after-insert' });
    await expect(dying.handle(again(), never)).rejects.toThrow(Crash);
    await (await world.startWorker({ breakStore })).handle(again(), never);
    expect((await sum())[symptom]).not.toEqual([]);
  });
});

describe('two workers with the same records', () => {
  it('publish every key under one id, whoever comes first', async () => {
    const { again, sum, origins, keys } = deliveries(100);
    const workers = await Promise.all([world.startWorker(), world.startWorker()]);
    await Promise.all(workers.map((worker) => worker.handle(again(), never)));
    expect(await sum()).toMatchObject({ lost: [], split: [], orphaned: [] });
    expect(new Set((await outcomesOf(origins)).events().map(({ id }) => id)).size).toBe(keys);
  });

  it('of which one was paused in the middle while its partition moved, publish every key under one id', async () => {
    const { again, sum, origins, keys } = deliveries();
    const [decided, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const zombie = await world.startWorker({
      breakStore: (store) => ({
        ...store,
        decide: async (candidates) => {
          const verdicts = await store.decide(candidates);
          decided.resolve();
          await wake.promise;
          return verdicts;
        },
      }),
    });
    const handled = zombie.handle(again(), never);
    await decided.promise;
    await (await world.startWorker()).handle(again(), never);
    await world.redis.flushAll();
    wake.resolve();
    await handled;
    expect(await sum()).toEqual(exact);
    expect(new Set((await outcomesOf(origins)).events().map(({ id }) => id)).size).toBe(keys);
  });

  it('in opposite orders do not wait for each other for ever', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { again, sum } = deliveries(150);
      const [one, two] = await Promise.all([world.startWorker(), world.startWorker()]);
      await Promise.all([one.handle(again(), never), two.handle(again().reverse(), never)]);
      expect(await sum()).toMatchObject({ lost: [], split: [], orphaned: [] });
    }
  });
});

describe('a key’s time to live', () => {
  it('ends for records that are received after it, and not for those that are only late', async () => {
    const run = (runs += 1);
    const record = (offset: number, receivedAt: number): TestRecord =>
      recordOf({
        topic: world.topics['webhooks.received'],
        partition: run,
        id: `run ${run}`,
        offset,
        receivedAt,
        ttlSeconds: 60,
      });
    const origins = [0, 1, 2, 3].map((offset) => `${world.topics['webhooks.received']}-${run}-${offset}`);
    const worker = await world.startWorker();
    const now = Date.now() * 1000;
    await worker.handle([record(0, now)], never);
    const inTime = record(1, now + 59 * second);
    const afterwards = record(2, now + 3600 * second);
    const lateOne = record(3, now + 58 * second);
    for (const given of [inTime, afterwards, lateOne]) await worker.handle([given], never);

    const outcomes = await outcomesOf(origins);
    expect(outcomes.events().map(({ origin }) => origin)).toEqual([origins[0], origins[2]]);
    expect(new Set(outcomes.duplicates().map(({ origin }) => origin))).toEqual(new Set([origins[1], origins[3]]));
  });
});

describe('a record that Postgres refuses', () => {
  it('does not hold up its neighbours, and lets those of its key that followed it be decided', async () => {
    const run = (runs += 1);
    const topic = world.topics['webhooks.received'];
    const record = (offset: number, id: string, tenant = 'default'): TestRecord =>
      recordOf({ topic, partition: run, id: `run ${run} ${id}`, offset, tenant, receivedAt: Date.now() * 1000 });
    const records = [
      record(0, 'a'),
      record(1, 'b', 'tenant\0'),
      record(2, 'c \0'),
      record(3, 'b', 'tenant\0'),
      record(4, 'a'),
    ];
    const worker = await world.startWorker();
    await worker.handle(records, never);
    expect(records.map(isDone)).toEqual([true, false, true, false, true]);
    await waitUntil('all are done', () => records.every(isDone));

    const outcomes = await outcomesOf(records.map(({ partition, offset }) => `${topic}-${partition}-${offset}`));
    expect(
      outcomes
        .events()
        .map(({ origin }) => origin)
        .sort(),
    ).toEqual([0, 2].map((offset) => `${topic}-${run}-${offset}`));
    expect(
      outcomes
        .deadLetters()
        .map(({ origin }) => origin)
        .sort(),
    ).toEqual([1, 3].map((offset) => `${topic}-${run}-${offset}`));
  });
});
