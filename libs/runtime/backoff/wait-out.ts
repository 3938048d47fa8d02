import type { AppErrorCode } from '../app-error.ts';
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logger.ts';
import { untilAvailable } from './until-available.ts';

/** Runs the work until no dependency that it needs is away: `untilAvailable`, with a line in the log. */
export type WaitOut = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

const logEveryMs = 5_000;

/** Logs an outage every few seconds, however many wait for its end. A queue of ours that is full is no outage. */
export function createWaitOut({ clock, log }: { clock: Clock; log: Logger }): WaitOut {
  const loggedAtMs = new Map<AppErrorCode, number>();
  return (work, signal) =>
    untilAvailable(work, {
      clock,
      signal,
      onAway: (error) => {
        const nowMs = clock.monotonicMs();
        if (error.code === 'queue_full' || nowMs - (loggedAtMs.get(error.code) ?? -Infinity) < logEveryMs) return;
        loggedAtMs.set(error.code, nowMs);
        log.warn({ event: 'dependency.away', code: error.code, err: error });
      },
    });
}
