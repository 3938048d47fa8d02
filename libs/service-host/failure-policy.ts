/**
 * Decides what follows when a service fails. Alone in its process, it ends the process; among several, this holds:
 *
 * | failure                                                           | what follows                                                          |
 * |-------------------------------------------------------------------|-----------------------------------------------------------------------|
 * | its start, because a dependency is away (a retryable AppError)    | it is rebuilt after a wait, without limit: an outage ends no process  |
 * | any other, and it had fewer than four within half an hour         | it is rebuilt after a wait                                            |
 * | the fifth within half an hour                                     | the process ends, and its supervisor restarts it                      |
 * | it could not be stopped in time                                   | the same: its remains would work beside its successor                 |
 *
 * The wait is a second, doubled for each failure in a row, up to half a minute, spread by a fifth. A row ends when the service has run for
 * a minute. Half an hour allows for five consumers in a row that were given up (libs/kafka, rebuild-limits.ts), each after five minutes or
 * more.
 */
import { type Clock, isAppError, type Random, spreadAroundMs } from '#lib/runtime';

export interface Failure {
  error: Error;
  /** Whether it failed before it had started. */
  isStart: boolean;
}

/** The wait before it is rebuilt, or the end of the process. */
export type Verdict = { rebuildAfterMs: number } | 'end the process';

export interface FailurePolicy {
  /** It has started. */
  started(): void;
  decide(failure: Failure): Verdict;
}

export const endTheProcess: FailurePolicy = { started: () => undefined, decide: () => 'end the process' };

const tooMany = 5;
const windowMs = 30 * 60_000;
const baseMs = 1_000;
const capMs = 30_000;
const jitter = 0.2;
const stableAfterMs = 60_000;

export function createFailurePolicy(clock: Pick<Clock, 'monotonicMs'>, random: Random): FailurePolicy {
  let failedAtMs: number[] = [];
  let startedAtMs: number | undefined;
  let inARow = 0;
  return {
    started() {
      startedAtMs = clock.monotonicMs();
    },
    decide({ error, isStart }) {
      const nowMs = clock.monotonicMs();
      if (!isStart && startedAtMs !== undefined && nowMs - startedAtMs >= stableAfterMs) inARow = 0;
      const isOutage = isStart && isAppError(error) && error.retryable;
      failedAtMs = [...failedAtMs.filter((atMs) => nowMs - atMs <= windowMs), ...(isOutage ? [] : [nowMs])];
      if (failedAtMs.length >= tooMany) return 'end the process';
      const waitMs = Math.min(capMs, baseMs * 2 ** inARow);
      // More than that changes nothing: the cap is reached.
      inARow = Math.min(inARow + 1, 10);
      return { rebuildAfterMs: spreadAroundMs(waitMs, jitter, random) };
    },
  };
}
