/**
 * How long the next fetch from a broker may wait there, and for how much:
 *
 *   something was found ──sends keep coming────► gathers: answered once there is much, or the gather time is over
 *                       └──they come singly───► answered with the first byte
 *   nothing was found   ──────────────────────► rests: answered with the first byte, asked again seldom
 *
 * It guarantees that a record which comes later than the gather time after the one before is read at once: by then nothing gathers. It is the
 * broker that waits, and not we: a timer here would be one more turn of the event loop for each fetch.
 */
import { createArrivalRate, gatherTimeMs } from '../arrival-rate.ts';

export interface FetchPace {
  next(nowMs: number): { minBytes: number; maxWaitTime: number };
  /** @param sends requests of producers that brought what was found: those of one come together whether anybody waits or not */
  found(sends: number, nowMs: number): void;
}

export interface FetchPaceOptions {
  /** The longest that records which are there wait for others; 0: never. */
  gatherMs: number;
  /** False while a partition is paused, or not read for another reason: when it goes on it must not wait for a fetch that rests. */
  mayRest(): boolean;
}

/**
 * The first send of a gather time is read no cheaper for having waited, each further one is; and where none comes at all, which is as likely as one in
 * five here, the fetch was for nothing.
 */
const leastExpected = 1.5;
/** To be woken costs a process as much as ten records do: with twice as many it is a third of all, and waiting for more saves little. */
const enoughSends = 20;
/** The same in bytes, where records are large or many wait already. */
const enoughBytes = 64 * 1024;
/** A partition that was paused goes on with the next fetch. */
const workingWaitMs = 100;
/** Heartbeats go between fetches, every two seconds. A stop does not wait for it: see pace-fetches.ts. */
export const restingWaitMs = 1_000;

export function createFetchPace({ gatherMs, mayRest }: FetchPaceOptions): FetchPace {
  const rate = createArrivalRate();
  let foundSome = false;
  const bounds = { mostMs: gatherMs, least: leastExpected, enough: enoughSends };
  return {
    next(nowMs) {
      const gatheredMs = foundSome ? gatherTimeMs(rate.perMs(nowMs), bounds) : 0;
      // Kafka counts in milliseconds.
      if (gatheredMs >= 1) return { minBytes: enoughBytes, maxWaitTime: Math.round(gatheredMs) };
      return { minBytes: 1, maxWaitTime: !foundSome && mayRest() ? restingWaitMs : workingWaitMs };
    },
    found(sends, nowMs) {
      foundSome = sends > 0;
      if (foundSome) rate.came(sends, nowMs);
    },
  };
}
