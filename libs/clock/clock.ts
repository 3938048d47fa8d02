import { setTimeout as delay } from 'node:timers/promises';

/** The time as logic sees it: passed in, never read from a global. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may step. */
  nowMs(): number;
  /** Milliseconds of a clock that never steps; only differences mean something. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts: the caller looks at the signal. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch(() => undefined);
  },
};
