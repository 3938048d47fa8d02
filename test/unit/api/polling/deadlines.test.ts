import fc from 'fast-check';
import { type Clock, createManualClock } from '#lib/runtime';
import { createDeadlines, type Timed } from '../../../../services/api/events/polling/deadlines.ts';

interface Named extends Timed {
  name: number;
}

function createWorld() {
  const manual = createManualClock();
  let sleeping = 0;
  const world = {
    clock: manual,
    ended: [] as { name: number; atMs: number }[],
    mostSleeping: 0,
    sleeping: () => sleeping,
  };
  const clock: Clock = {
    ...manual,
    sleep: async (ms, signal) => {
      world.mostSleeping = Math.max(world.mostSleeping, (sleeping += 1));
      await manual.sleep(ms, signal);
      sleeping -= 1;
    },
  };
  const startedAtMs = manual.monotonicMs();
  const deadlines = createDeadlines<Named>(clock, ({ name }) =>
    world.ended.push({ name, atMs: manual.monotonicMs() - startedAtMs }),
  );
  return { ...world, deadlines };
}

const named = (name: number, withinMs: number): Named => ({ name, withinMs, endsAtMs: 0 });

test('each ends when its time is up, and none that was removed before, whatever comes and goes', async () => {
  const steps = fc.array(
    fc.record({ afterMs: fc.nat(3), withinMs: fc.integer({ min: 1, max: 4 }), removedAfterMs: fc.option(fc.nat(6)) }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const { clock, deadlines, ended, sleeping } = createWorld();
      const expected: { name: number; atMs: number }[] = [];
      const removals: { timed: Named; atMs: number }[] = [];
      let nowMs = 0;
      const advanceTo = async (toMs: number): Promise<void> => {
        for (; nowMs < toMs; nowMs += 1) {
          await clock.advance(1);
          for (const { timed, atMs } of removals) if (atMs === nowMs + 1) deadlines.remove(timed);
        }
      };
      for (const [name, { afterMs, withinMs, removedAfterMs }] of given.entries()) {
        await advanceTo(nowMs + afterMs);
        const timed = named(name, withinMs);
        deadlines.add(timed);
        if (removedAfterMs === 0) deadlines.remove(timed);
        else if (removedAfterMs !== null) removals.push({ timed, atMs: nowMs + removedAfterMs });
        // At the very moment, its end comes first.
        if (removedAfterMs === null || removedAfterMs >= withinMs) expected.push({ name, atMs: nowMs + withinMs });
      }
      await advanceTo(nowMs + 12);
      const byTime = (all: typeof expected) => all.toSorted((a, b) => a.atMs - b.atMs || a.name - b.name);
      expect(byTime(ended)).toEqual(byTime(expected));
      expect(sleeping()).toBe(0);
    }),
  );
});

test('there is one timer for each length, however many wait, and none when all have gone', async () => {
  const world = createWorld();
  const all = Array.from({ length: 3_000 }, (_, n) => named(n, [10, 20, 30][n % 3] ?? 0));
  for (const timed of all) world.deadlines.add(timed);
  expect(world.sleeping()).toBe(3);
  for (const timed of all) world.deadlines.remove(timed);
  await world.clock.advance(0);
  expect(world.sleeping()).toBe(0);
  await world.clock.advance(100);
  expect(world.ended).toEqual([]);
});

test('many that end at once leave others a turn of the event loop in between', async () => {
  const world = createWorld();
  for (let n = 0; n < 1_000; n += 1) world.deadlines.add(named(n, 10));
  const advanced = world.clock.advance(10);
  const turns: number[] = [];
  while (world.ended.length < 1_000) {
    await new Promise(setImmediate);
    turns.push(world.ended.length);
  }
  await advanced;
  expect(turns.some((ended) => ended > 0 && ended < 1_000)).toBe(true);
});
