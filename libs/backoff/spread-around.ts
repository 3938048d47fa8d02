import type { Random } from './full-jitter.ts';

/** Uniform between `share` less and `share` more of the wait: 0 is the wait itself, 1 anything up to twice as long. */
export const spreadAroundMs = (waitMs: number, share: number, random: Random): number =>
  waitMs * (1 - share + 2 * share * random());
