import { setTimeout as delay } from 'node:timers/promises';
import { type FaultKind, tracks } from '../../faults/system/fault-kind.ts';
import { faultKinds } from '../../faults/system/fault-kinds.ts';
import { inflictAll } from '../../faults/system/schedule.ts';

const kindsOf = (track: FaultKind['track'], count: number): FaultKind[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `${track}-${n}`,
    says: '',
    track,
    inflict: () => Promise.resolve(),
  }));
const kinds = [...kindsOf('ingress', 5), ...kindsOf('stores', 7)];

/** The faults done on each track, with the first random number that each was given. */
async function run(seed: number, forMs = 0) {
  const done: Record<string, string[]> = {};
  const inflicted = await inflictAll({
    kinds,
    seed,
    forMs,
    calmMs: 1,
    inflict: async ({ name, track }, random) => void (done[track] ??= []).push(`${name} ${random()}`),
    say: () => undefined,
  });
  return { done, inflicted };
}

it('does each kind once, in an order and with chances that the seed repeats', async () => {
  const { done, inflicted } = await run(7);

  expect((await run(7)).done).toEqual(done);
  expect((await run(8)).done).not.toEqual(done);
  expect(inflicted.map(({ kind }) => kind).sort()).toEqual(kinds.map(({ name }) => name).sort());
});

it('goes on round after round until its time is over', async () => {
  const { inflicted } = await run(7, 500);

  expect(inflicted.length).toBeGreaterThan(2 * kinds.length);
});

it('does one thing after the other on a track, and the tracks beside each other', async () => {
  const under = new Map<string, number>();
  let most = 0;
  await inflictAll({
    kinds,
    seed: 1,
    forMs: 0,
    calmMs: 0,
    say: () => undefined,
    inflict: async ({ track }) => {
      under.set(track, (under.get(track) ?? 0) + 1);
      expect(under.get(track)).toBe(1);
      most = Math.max(
        most,
        [...under.values()].reduce((sum, n) => sum + n, 0),
      );
      await delay(10);
      under.set(track, 0);
    },
  });

  expect(most).toBe(2);
});

it('begins no other where one can not be done, and says why when those that were begun are over', async () => {
  const done: string[] = [];
  const run = inflictAll({
    kinds,
    seed: 1,
    forMs: 0,
    calmMs: 0,
    say: () => undefined,
    inflict: async ({ name, track }) => {
      if (track === 'ingress') throw new Error(`${name} is not to be had`);
      await delay(20);
      done.push(name);
    },
  });

  await expect(run).rejects.toThrow('is not to be had');
  expect(done).toHaveLength(1);
});

it('knows every fault by a name of its own, and has some on every track', () => {
  expect(new Set(faultKinds.map(({ name }) => name)).size).toBe(faultKinds.length);
  expect(new Set(faultKinds.map(({ track }) => track))).toEqual(new Set(tracks));
});
