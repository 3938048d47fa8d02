import fc from 'fast-check';
import type { CrashPointName } from '#lib/runtime';
import {
  anyClaimSettles,
  claimsSettle,
  conflictIsDone,
  conflictIsDuplicate,
  namesakeIsDone,
  redisDecides,
} from './mutants.ts';
import { type Sum, sumUp } from './sum.ts';
import { recordOf } from './records.ts';
import { Crash, createWorker, createWorld, never, topics, type World } from './world.ts';

/*
 * Two partitions with records of three keys. Any number of workers at once, paused anywhere, some dying at a crash point, read the same
 * stretches of them; meanwhile Redis forgets, goes away and comes back. It can't tell the records of even offsets from each other, nor those of
 * odd ones: the ids of their events end alike. In the end one worker reads everything that may be uncommitted.
 */

const ids = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 });
const points: CrashPointName[] = [
  'dedup.after-claim',
  'dedup.after-insert',
  'dedup.after-publish',
  'dedup.before-commit',
];
interface Reader {
  partition: number;
  from: number;
  batch: number;
  crashAt: { point: CrashPointName; passing: number } | undefined;
}
const reader = fc.record<Reader>({
  partition: fc.constantFrom(0, 1),
  from: fc.nat(4),
  batch: fc.integer({ min: 1, max: 5 }),
  crashAt: fc.option(fc.record({ point: fc.constantFrom(...points), passing: fc.constantFrom(1, 2) }), {
    nil: undefined,
  }),
});
const disturbance = fc.constantFrom<(world: World) => void>(
  (world) => world.memory.flushAll(),
  (world) => void (world.memory.state = 'refusing'),
  (world) => void (world.memory.state = 'late'),
  (world) => void (world.memory.state = 'up'),
);

type Protections = Pick<NonNullable<Parameters<typeof createWorker>[1]>, 'breakStore'>;
type Kept = Pick<Sum, 'lost' | 'split' | 'orphaned'>;

const oneEventPerKey = (protections: Protections = {}) =>
  fc.asyncProperty(
    fc.scheduler(),
    fc.tuple(ids, ids),
    fc.array(reader, { maxLength: 4 }),
    fc.array(disturbance, { maxLength: 4 }),
    async (scheduler, partitions, readers, disturbances) => {
      const world = createWorld();
      const recordsOf = (partition: number, from: number) =>
        (partitions[partition] ?? [])
          .map((id, offset) => recordOf({ id, offset, partition, idEnd: offset % 2 === 0 ? 'ev' : 'dd' }))
          .slice(from);
      const read = async ({ partition, from, batch, crashAt }: Reader, turn?: () => Promise<void>): Promise<void> => {
        const worker = createWorker(world, {
          ...protections,
          ...(crashAt === undefined ? {} : { crashAt }),
          ...(turn === undefined ? {} : { turn }),
        });
        const records = recordsOf(partition, from);
        try {
          while (records.length > 0) await worker.handle(records.splice(0, batch), never);
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
      };

      const turn = () => scheduler.schedule(Promise.resolve());
      for (const disturb of disturbances) void turn().then(() => disturb(world));
      await scheduler.waitFor(Promise.all(readers.map((plan) => read(plan, turn))));
      for (const partition of [0, 1]) await read({ partition, from: 0, batch: 5, crashAt: undefined });

      const origins = partitions.flatMap((list, partition) =>
        list.map((_, offset) => `${topics['webhooks.received']}-${partition}-${offset}`),
      );
      const { lost, split, orphaned } = sumUp(world.kafka, origins);
      expect<Kept>({ lost, split, orphaned }).toEqual({ lost: [], split: [], orphaned: [] });
    },
  );

it('gives every key exactly one event id and every record an end, whatever is interleaved, repeated, killed and forgotten', async () => {
  await fc.assert(oneEventPerKey(), { numRuns: 500 });
});

it.each<[string, Protections]>([
  ['Redis knows published keys only', { breakStore: claimsSettle }],
  ['Redis knows whose a key is', { breakStore: anyClaimSettles }],
  ['an own row is not a duplicate’s', { breakStore: conflictIsDuplicate }],
  ['an own row is not a published event', { breakStore: conflictIsDone }],
  ['the table decides', { breakStore: redisDecides }],
  ['the table is asked where Redis can’t tell a record from the holder', { breakStore: namesakeIsDone }],
])('would not, without this: %s', async (_what, protections) => {
  const { failed } = await fc.check(oneEventPerKey(protections), { numRuns: 1_000, endOnFailure: true });
  expect(failed).toBe(true);
});
