import type { Rate } from './ports.ts';

/** A token bucket of one process alone. */
export interface LocalShare {
  /** 0 if a permit was taken; otherwise the time until the next. */
  take(nowMs: number): number;
}

/**
 * The permits that one of `processes` may give out while the shared bucket is away: its part of the rate, of the burst, and of the free
 * permits. Each process has at least one permit, even if the burst is smaller.
 */
export function createLocalShare(rate: Rate, processes: number, freeNow: number, nowMs: number): LocalShare {
  const perMs = rate.perSecond / processes / 1000;
  const most = Math.max(1, rate.burst / processes);
  let permits = Math.min(most, Math.max(0, freeNow / processes));
  let atMs = nowMs;
  return {
    take(takenAtMs) {
      permits = Math.min(most, permits + (takenAtMs - atMs) * perMs);
      atMs = takenAtMs;
      if (permits < 1) return (1 - permits) / perMs;
      permits -= 1;
      return 0;
    },
  };
}
