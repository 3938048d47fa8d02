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
  // Not the one of node:timers/promises: most sleeps are time limits that are not reached, and it makes an error for each that ends early.
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
};
