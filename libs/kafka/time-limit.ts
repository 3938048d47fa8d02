import type { Clock } from '#lib/clock';

/** Resolves with the result of `work`, or with that of `late` after `ms`. The work itself goes on. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> {
  const ended = new AbortController();
  const limit = clock.sleep(ms, ended.signal).then(() => (ended.signal.aborted ? work : late()));
  try {
    return await Promise.race([work, limit]);
  } finally {
    // With a reason: else an error is made each time, stack and all, that nobody reads.
    ended.abort('ended');
  }
}
