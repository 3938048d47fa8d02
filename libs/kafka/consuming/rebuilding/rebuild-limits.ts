import type { Clock } from '#lib/runtime';

/** How long a consumer may be silent before it is built anew, and how often it may be. */
export interface RebuildLimits {
  /** The coordinator has been heard of: the next limit is the first again. */
  heard(): void;
  /** In milliseconds, with jitter; twice as long after each rebuild in a row that has not been heard of, four times at most. */
  silenceMs(): number;
  /** @returns whether that was one too many: the third within five minutes */
  rebuilt(): boolean;
}

/** Upwards, so that processes that fell silent together do not join together. */
const jitter = 0.1;
const mostDoublings = 2;
const tooMany = 3;
/** Three in a row that never hear anything fit in: the second and third come within 4.95 minutes of the first. */
const windowMs = 5 * 60_000;

export function createRebuildLimits(
  clock: Pick<Clock, 'monotonicMs'>,
  firstSilenceMs: number,
  random: () => number,
): RebuildLimits {
  let unheard = 0;
  let rebuiltAtMs: number[] = [];
  return {
    heard() {
      unheard = 0;
    },
    silenceMs: () => firstSilenceMs * 2 ** Math.min(unheard, mostDoublings) * (1 + jitter * random()),
    rebuilt() {
      const nowMs = clock.monotonicMs();
      unheard += 1;
      rebuiltAtMs = [...rebuiltAtMs.filter((atMs) => nowMs - atMs <= windowMs), nowMs];
      return rebuiltAtMs.length >= tooMany;
    },
  };
}
