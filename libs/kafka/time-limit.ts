import type { Clock } from '#lib/runtime';

/** Resolves with the result of `work`, or with that of `late` after `ms`. The work continues. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> {
  const ended = new AbortController();
  const limit = clock.sleep(ms, ended.signal).then(() => (ended.signal.aborted ? work : late()));
  try {
    return await Promise.race([work, limit]);
  } finally {
    // With a reason: without one, an error with a stack is made each time.
    ended.abort('ended');
  }
}
