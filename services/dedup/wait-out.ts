import { untilAvailable } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import type { AppErrorCode } from '#lib/errors';
import type { Logger } from '#lib/log';

/** Runs the work until no dependency that it needs is away: see untilAvailable. */
export type WaitOut = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const logEveryMs = 5_000;

/** Logs an outage every few seconds, however many records wait for its end. */
export function createWaitOut({ clock, log }: { clock: Clock; log: Logger }): WaitOut {
  const loggedAtMs = new Map<AppErrorCode, number>();
  return (work, signal) =>
    untilAvailable(work, {
      clock,
      signal,
      onAway: (error) => {
        const nowMs = clock.monotonicMs();
        if (nowMs - (loggedAtMs.get(error.code) ?? -Infinity) < logEveryMs) return;
        loggedAtMs.set(error.code, nowMs);
        log.warn({ event: 'dependency.away', code: error.code, err: error });
      },
    });
}
