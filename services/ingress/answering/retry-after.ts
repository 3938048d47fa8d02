import type { RandomBytes } from '#lib/ids';

/** Long enough for a leader to move, and not the same for all, who would come again all at once. */
export const createRetryAfter =
  (random: RandomBytes): (() => number) =>
  () =>
    2 + ((random(1)[0] ?? 0) % 4);
