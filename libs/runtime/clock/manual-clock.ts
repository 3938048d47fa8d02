import { type Clock, nextMultiple } from './clock.ts';

export interface ManualClock extends Clock {
  /** Advances the time, and wakes every sleeper that is due, in order of their due times. */
  advance(ms: number): Promise<void>;
}

interface Sleeper {
  dueMs: number;
  wake(): void;
}

/** A clock for tests: it moves only when it is advanced. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): ManualClock {
  let now = startMs;
  const sleepers = new Set<Sleeper>();

  function nextDue(untilMs: number): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of sleepers)
      if (sleeper.dueMs <= untilMs && (next === undefined || sleeper.dueMs < next.dueMs)) next = sleeper;
    return next;
  }

  const sleepUntil = (dueMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper: Sleeper = {
        dueMs,
        wake: () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      signal?.addEventListener('abort', sleeper.wake);
      sleepers.add(sleeper);
    });

  return {
    nowMs: () => now,
    monotonicMs: () => now,
    sleep: (ms, signal) => sleepUntil(now + ms, signal),
    sleepUntilNext: (everyMs, signal) => sleepUntil(nextMultiple(everyMs, now), signal),
    startLimit(ms, onDue) {
      const sleeper: Sleeper = {
        dueMs: now + ms,
        wake: () => {
          sleepers.delete(sleeper);
          onDue();
        },
      };
      sleepers.add(sleeper);
      return () => void sleepers.delete(sleeper);
    },
    async advance(ms) {
      const untilMs = now + ms;
      // Code that is about to sleep must have done so before the first sleeper is woken.
      await new Promise(setImmediate);
      for (let sleeper = nextDue(untilMs); sleeper !== undefined; sleeper = nextDue(untilMs)) {
        now = Math.max(now, sleeper.dueMs);
        sleeper.wake();
        await new Promise(setImmediate);
      }
      now = untilMs;
    },
  };
}
