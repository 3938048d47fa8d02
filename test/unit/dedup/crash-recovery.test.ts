import type { CrashPointName } from '#lib/runtime';
import { second, startMicros } from '../dedup-store/candidates.ts';
import {
  anyClaimSettles,
  claimsSettle,
  conflictIsDone,
  conflictIsDuplicate,
  redisDecides,
  traceSettles,
} from './mutants.ts';
import { exact, sumUp } from './sum.ts';
import { recordOf } from './records.ts';
import { Crash, createWorker, createWorld, never, topics, type World } from './world.ts';

const points: CrashPointName[] = [
  'dedup.after-claim',
  'dedup.after-insert',
  'dedup.after-publish',
  'dedup.before-commit',
];
const batchOf = () => ['a', 'b', 'a', 'c'].map((id, offset) => recordOf({ id, offset }));
const origins = batchOf().map((_, offset) => `${topics['webhooks.received']}-0-${offset}`);
type Protections = Pick<NonNullable<Parameters<typeof createWorker>[1]>, 'breakStore'>;

/** A worker dies at the point; after `between`, another one gets the same records, and then a third with a repetition of them. */
async function dieAndRecover(
  world: World,
  point: CrashPointName,
  between: (world: World) => void,
  protections: Protections = {},
): Promise<void> {
  const dying = createWorker(world, { crashAt: { point }, ...protections });
  const records = batchOf();
  await expect(dying.handle(records, never)).rejects.toThrow(Crash);
  expect(records.some((record) => record.isDone())).toBe(false);

  between(world);
  const again = batchOf();
  await createWorker(world, protections).handle(again, never);
  expect(again.every((record) => record.isDone())).toBe(true);
  await createWorker(world, protections).handle(batchOf(), never);
}

describe.each(points)('a worker that dies at %s', (point) => {
  it.each([
    ['at once', () => undefined],
    ['after Redis has lost everything', (world: World) => world.memory.flushAll()],
    ['after Redis has gone away', (world: World) => void (world.memory.state = 'refusing')],
  ])('loses nothing and makes no second event id: its successor comes %s', async (_when, between) => {
    const world = createWorld();
    await dieAndRecover(world, point, between);
    expect(sumUp(world.kafka, origins)).toEqual(exact);
    expect(new Set(world.kafka.events().map(({ id }) => id)).size).toBe(3);
  });

  it('leaves the same ids, even where the database is lost as well', async () => {
    const world = createWorld();
    await expect(createWorker(world, { crashAt: { point } }).handle(batchOf(), never)).rejects.toThrow(Crash);
    const emptied = { ...createWorld(), kafka: world.kafka };
    await createWorker(emptied).handle(batchOf(), never);
    expect(sumUp(world.kafka, origins)).toEqual(exact);
  });
});

describe('a worker that dies anywhere', () => {
  // recall, insert, three events, the duplicate, complete, remember
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'loses nothing when its call %i to the outside is not made any more',
    async (nth) => {
      const world = createWorld();
      let calls = 0;
      const dying = createWorker(world, {
        turn: async () => {
          calls += 1;
          if (calls >= nth) throw new Crash('dead');
        },
      });
      const records = batchOf();
      await expect(dying.handle(records, never)).rejects.toThrow('dead');
      expect(records.some((record) => record.isDone())).toBe(false);
      await createWorker(world).handle(batchOf(), never);
      expect(sumUp(world.kafka, origins)).toEqual(exact);
    },
  );
});

describe('a worker that dies with a row for a record that is not the first of its key in the next batch', () => {
  // Once: the later record was taken for a duplicate of itself, and the key had no event.
  it('leaves it to be the event', async () => {
    const world = createWorld();
    const [earlier, later] = [recordOf({ id: 'a', offset: 0 }), recordOf({ id: 'a', offset: 1 })];
    const crashAt = { point: 'dedup.after-insert' } as const;
    await expect(createWorker(world, { crashAt }).handle([later], never)).rejects.toThrow(Crash);
    await createWorker(world).handle([earlier, later], never);
    expect(sumUp(world.kafka, origins.slice(0, 2))).toEqual(exact);
    expect(world.kafka.events().map(({ origin }) => origin)).toEqual([origins[1]]);
  });

  it('leaves it to be the event also where it took the key over after its expiry, and a late record comes before it', async () => {
    const world = createWorld();
    await createWorker(world).handle([recordOf({ id: 'a', offset: 0, ttlSeconds: 60 })], never);
    await world.clock.advance(100_000);
    const late = recordOf({ id: 'a', offset: 1, receivedAt: startMicros + 1 });
    const fresh = recordOf({ id: 'a', offset: 2, receivedAt: startMicros + 100 * second });
    const crashAt = { point: 'dedup.after-insert', passing: 2 } as const;
    await expect(createWorker(world, { crashAt }).handle([late, fresh], never)).rejects.toThrow(Crash);
    await createWorker(world).handle([late, fresh], never);
    expect(world.kafka.events().map(({ origin }) => origin)).toEqual([origins[0], origins[2]]);
  });
});

it('takes the same record twice in one batch for one', async () => {
  const world = createWorld();
  await createWorker(world).handle([recordOf({ id: 'a', offset: 0 }), recordOf({ id: 'a', offset: 0 })], never);
  expect(world.kafka.written).toHaveLength(1);
});

it('counts what it published again apart', async () => {
  const world = createWorld();
  await expect(
    createWorker(world, { crashAt: { point: 'dedup.after-insert' } }).handle(batchOf(), never),
  ).rejects.toThrow(Crash);
  const successor = createWorker(world);
  await successor.handle(batchOf(), never);
  expect([await successor.count('republished'), await successor.count('first')]).toEqual([3, 0]);
});

describe('without a protection', () => {
  it.each<[string, CrashPointName, Protections, keyof typeof exact]>([
    ['a claim that does not say whose it is', 'dedup.after-claim', { breakStore: anyClaimSettles }, 'orphaned'],
    ['an own row that is taken for another’s', 'dedup.after-insert', { breakStore: conflictIsDuplicate }, 'orphaned'],
    ['an own row that is taken for a published event', 'dedup.after-insert', { breakStore: conflictIsDone }, 'lost'],
  ])('%s loses events', async (_what, point, protections, symptom) => {
    const world = createWorld();
    await dieAndRecover(world, point, () => undefined, protections);
    expect(sumUp(world.kafka, origins)[symptom]).not.toEqual([]);
    expect(world.kafka.events()).toEqual([]);
  });

  it('of asking the table about what Redis can’t tell from the holder, an event is a duplicate of itself as well', async () => {
    const world = createWorld();
    await dieAndRecover(world, 'dedup.before-commit', () => undefined, { breakStore: traceSettles });
    expect(sumUp(world.kafka, origins).twofold).not.toEqual([]);
  });

  it('of the table, Redis makes a second event id once it has lost its memory', async () => {
    const world = createWorld();
    const worker = createWorker(world, { breakStore: redisDecides });
    await worker.handle([recordOf({ id: 'a', offset: 1 })], never);
    world.memory.flushAll();
    await worker.handle([recordOf({ id: 'a', offset: 2 })], never);
    expect(sumUp(world.kafka, []).split).toHaveLength(1);
  });

  // Why Redis is not asked to claim: see libs/dedup-store/dedup-store.ts.
  it.each<[string, Protections, boolean]>([
    ['no webhook is lost between them', {}, false],
    ['and with claims in Redis, the webhook is lost: each waits for the other', { breakStore: claimsSettle }, true],
  ])(
    'two workers die with one key, one before Redis lost its memory, one after: %s',
    async (_what, protections, lost) => {
      const world = createWorld();
      const one = () => [recordOf({ id: 'a', offset: 0, partition: 0 })];
      const two = () => [recordOf({ id: 'a', offset: 0, partition: 1 })];
      const dieAt = (point: CrashPointName) => createWorker(world, { crashAt: { point }, ...protections });
      await expect(dieAt('dedup.after-insert').handle(one(), never)).rejects.toThrow(Crash);
      world.memory.flushAll();
      await expect(dieAt('dedup.after-claim').handle(two(), never)).rejects.toThrow(Crash);

      await createWorker(world, protections).handle(one(), never);
      await createWorker(world, protections).handle(two(), never);
      expect(world.kafka.events()).toHaveLength(lost ? 0 : 1);
    },
  );
});

describe('a worker that was paused while its partition moved', () => {
  // recall, insert, three events, the duplicate, complete, remember
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'makes no second event id when it wakes up before its call %i to the outside',
    async (nth) => {
      const world = createWorld();
      const [paused, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let calls = 0;
      const zombie = createWorker(world, {
        turn: async () => {
          calls += 1;
          if (calls < nth) return;
          paused.resolve();
          await wake.promise;
        },
      });
      const handled = zombie.handle(batchOf(), never);
      await paused.promise;

      await createWorker(world).handle(batchOf(), never);
      await createWorker(world).handle([recordOf({ id: 'a', offset: 10 })], never);
      wake.resolve();
      await handled;
      expect(sumUp(world.kafka, origins)).toEqual(exact);
    },
  );
});
