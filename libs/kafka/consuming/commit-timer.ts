/**
 * Decides when a consumer commits, besides before it gives partitions up: an interval after the first record was done that is not committed yet.
 * A commit costs one request, however many offsets it has; and a consumer without new done records has no timer.
 */
import type { Clock } from '#lib/runtime';

export interface CommitTimer {
  /** Something may be due. */
  wake(): void;
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface Options {
  intervalMs: number;
  isDue(): boolean;
  /** Never throws; what it does not commit is due again. */
  commit(): Promise<void>;
  clock: Clock;
}

export function createCommitTimer({ intervalMs, isDue, commit, clock }: Options): CommitTimer {
  let woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();
  return {
    wake,
    // No rounds: it waits until something is due.
    async run(signal) {
      signal.addEventListener('abort', wake, { once: true });
      while (!signal.aborted) {
        await woken.promise;
        // With all that repeats in the process, which wakes up once for it.
        await clock.sleepUntilNext(intervalMs, signal);
        woken = Promise.withResolvers();
        await commit();
        if (isDue() || signal.aborted) wake();
      }
    },
  };
}
