/** How many records come, judged by those of late: one counts for less the longer ago it came. */
export interface ArrivalRate {
  came(records: number, nowMs: number): void;
  perMs(nowMs: number): number;
}

/** Long enough for a steady 100 a second to look steady, and soon over: after half a second of quiet a tenth of it is left. */
const memoryMs = 200;

export function createArrivalRate(): ArrivalRate {
  let weight = 0;
  let atMs = 0;
  const left = (nowMs: number): number => weight * Math.exp(Math.min(0, atMs - nowMs) / memoryMs);
  return {
    came(records, nowMs) {
      weight = left(nowMs) + records;
      atMs = nowMs;
    },
    perMs: (nowMs) => left(nowMs) / memoryMs,
  };
}

/**
 * For how long it helps to wait for more: not at all where too few would come to be worth it, and no longer than until enough have come.
 *
 * @returns 0 or up to `mostMs`
 */
export function gatherTimeMs(ratePerMs: number, { mostMs, least, enough }: GatherBounds): number {
  return ratePerMs * mostMs < least ? 0 : Math.min(mostMs, enough / ratePerMs);
}

export interface GatherBounds {
  mostMs: number;
  /** Records to be expected within `mostMs`, below which nothing waits. */
  least: number;
  /** Records beyond which it helps no more. */
  enough: number;
}
