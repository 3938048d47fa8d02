/** Schedules the faults: each track's in an order of the seed's, round after round, until the time is over. */
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom, seedOf, shuffled } from '../../support/seeded-random.ts';
import type { FaultKind } from './fault-kind.ts';

/** One fault that was inflicted, from its beginning to when all was as before. */
export interface Inflicted {
  kind: string;
  atMs: number;
  overAtMs: number;
}

interface Options {
  kinds: readonly FaultKind[];
  seed: number;
  /** No round is begun after it; each kind comes once at the least. */
  forMs: number;
  /** Between two faults of a track, at the most. */
  calmMs: number;
  /** @param random the fault's own: the same at the same place of every run with the seed */
  inflict(kind: FaultKind, random: () => number): Promise<void>;
  say(line: string): void;
  /** No fault begins after its abort. */
  signal?: AbortSignal;
}

/** Resolves when the last of them is over, in the order in which they ended. After one that fails no other is begun. */
export async function inflictAll({ kinds, seed, forMs, calmMs, inflict, say, signal }: Options): Promise<Inflicted[]> {
  const inflicted: Inflicted[] = [];
  const startMs = performance.now();
  let failure: { error: unknown } | undefined;
  const elapsed = (): string => `${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)} s`;

  const runTrack = async (track: string, ofTrack: readonly FaultKind[]): Promise<void> => {
    for (let round = 0; round === 0 || performance.now() - startMs < forMs; round += 1) {
      const random = seededRandom(seedOf(seed, `${track} ${round}`));
      for (const kind of shuffled(ofTrack, random)) {
        if (round > 0 && performance.now() - startMs >= forMs) return;
        await delay(random() * calmMs);
        const atMs = Date.now();
        try {
          await inflict(kind, seededRandom(seedOf(seed, `${kind.name} ${round}`)));
        } catch (error) {
          say(`${elapsed()}  ${kind.name} could not be done`);
          failure ??= { error };
        }
        if (failure !== undefined || signal?.aborted) return;
        inflicted.push({ kind: kind.name, atMs, overAtMs: Date.now() });
        say(`${elapsed()}  ${kind.name}, ${((Date.now() - atMs) / 1000).toFixed(1)} s`);
      }
    }
  };
  await Promise.all([...Map.groupBy(kinds, ({ track }) => track)].map(([track, ofTrack]) => runTrack(track, ofTrack)));
  if (failure !== undefined) throw failure.error;
  return inflicted;
}
