/** Uniform in [0, 1). */
export type Random = () => number;

/**
 * The wait before retry number `attempt` (from 0): `random(0, min(cap, base · 2^attempt))`, the specification's full jitter. Waits
 * spread over the whole interval, so that clients that failed together do not come back together.
 */
export function fullJitterMs(policy: { baseMs: number; capMs: number }, attempt: number, random: Random): number {
  // The limit avoids Infinity, which times a base of 0 is NaN.
  return random() * Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt, 1_023));
}

/** Uniform between `share` less and `share` more of the wait: 0 is the wait itself, 1 anything up to twice as long. */
export const spreadAroundMs = (waitMs: number, share: number, random: Random): number =>
  waitMs * (1 - share + 2 * share * random());
