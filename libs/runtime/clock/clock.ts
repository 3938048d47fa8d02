import { createTimeLimits } from './time-limits.ts';

/** The time as logic sees it: passed in, never read from a global. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may step. */
  nowMs(): number;
  /** Milliseconds of a clock that never steps; only differences mean something. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts: the caller checks the signal. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Resolves at the next multiple of `everyMs` of the monotonic time, or at once when the signal aborts. All that waits for the same instant is woken by
   * one timer, so what repeats wakes the process together. At most `everyMs` pass, and at most `limitGranularityMs` more where `everyMs` is no
   * multiple of that. Never rejects.
   */
  sleepUntilNext(everyMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Starts a time limit: `onDue` is called after `ms`, never earlier, and late by less than `limitGranularityMs`. For what is seldom reached:
   * it costs no timer, no promise and no signal. `onDue` must not throw.
   *
   * @returns what stops it
   */
  startLimit(ms: number, onDue: () => void): () => void;
}

/** Limits last seconds. A coarser step would let more of them share an entry, but people notice a tenth of a second. */
export const limitGranularityMs = 20;

/** The wheel of the process: one timer for all limits and for all that repeats. */
const limits = createTimeLimits({ monotonicMs: () => performance.now(), granularityMs: limitGranularityMs });

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  // Not the one of node:timers/promises, which makes an error for each that ends early.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake);
    }),
  sleepUntilNext: (everyMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        stop();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const stop = limits.startAt(nextMultiple(everyMs, performance.now()), wake);
      signal?.addEventListener('abort', wake);
    }),
  startLimit: limits.start,
};

/** The first multiple of `everyMs` after `nowMs`. */
export const nextMultiple = (everyMs: number, nowMs: number): number => (Math.floor(nowMs / everyMs) + 1) * everyMs;
