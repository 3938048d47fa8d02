/** The rate of recent arrivals: the older an arrival, the less it counts. */
export interface ArrivalRate {
  came(count: number, nowMs: number): void;
  perMs(nowMs: number): number;
}

/** Long enough for 100 records a second to look steady, and soon forgotten: a tenth is left after half a second of quiet. */
const memoryMs = 200;

export function createArrivalRate(): ArrivalRate {
  let weight = 0;
  let atMs = 0;
  const left = (nowMs: number): number => weight * Math.exp(Math.min(0, atMs - nowMs) / memoryMs);
  return {
    came(count, nowMs) {
      weight = left(nowMs) + count;
      atMs = nowMs;
    },
    perMs: (nowMs) => left(nowMs) / memoryMs,
  };
}

/**
 * For how long it helps to wait for more: not at all where too little would come to be worth it, and no longer than until enough has.
 *
 * @returns 0 or up to `mostMs`
 */
export function gatherTimeMs(ratePerMs: number, { mostMs, least, enough }: GatherBounds): number {
  return ratePerMs * mostMs < least ? 0 : Math.min(mostMs, enough / ratePerMs);
}

export interface GatherBounds {
  mostMs: number;
  /** The least number of arrivals to expect within `mostMs`; with fewer, nothing waits. */
  least: number;
  /** The rate above which more makes no difference. */
  enough: number;
}
