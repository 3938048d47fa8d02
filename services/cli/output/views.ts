import type { Attempt } from '#lib/api-contract';
import { endpointSettlingMs } from '#lib/contract';
import type { Context } from '../context.ts';
import { printable } from './print.ts';

/**
 * Counts down to when a change counts, on a terminal alone: a script waits for nothing, and reads nothing of it.
 *
 * @param effectiveAt by the clock of the API; one that differs here makes the wait no longer than a change takes
 */
export async function countDown(
  { process, clock }: Pick<Context, 'process' | 'clock'>,
  effectiveAt: string,
): Promise<void> {
  const { stderr } = process;
  const leftMs = Math.min(Date.parse(effectiveAt) - clock.nowMs(), endpointSettlingMs);
  if (stderr.isTTY !== true || !(leftMs > 0)) return;
  const endsAtMs = clock.monotonicMs() + leftMs;
  for (let left = leftMs; left > 0; left = endsAtMs - clock.monotonicMs()) {
    stderr.write(`\rcounts in ${Math.ceil(left / 1_000)} s `);
    await clock.sleep(left - 1_000 * (Math.ceil(left / 1_000) - 1));
  }
  stderr.write('\rcounts now      \n');
}

type RowOfAttempt = Pick<Attempt, 'attempt' | 'at' | 'outcome' | 'http_status' | 'duration_ms' | 'detail'>;

/** The columns of a table of attempts. */
export const attemptColumns = ['attempt', 'at', 'outcome', 'status', 'duration', 'detail'];

export const attemptRow = ({ attempt, at, outcome, http_status, duration_ms, detail }: RowOfAttempt) => ({
  attempt,
  at,
  outcome,
  status: http_status,
  duration: duration_ms === null ? null : `${tenths(duration_ms)} ms`,
  detail,
});

type Outcome = Pick<Attempt, 'outcome' | 'http_status' | 'duration_ms' | 'detail' | 'timing'>;

/** The outcome on one line: `http_5xx: 503 after 23 ms (dns 1, connect 2, tls 8, first byte 12)`. */
export function describeOutcome({ outcome, http_status, duration_ms, detail, timing }: Outcome): string {
  const phases = Object.entries(timing ?? {}).flatMap(([name, ms]) =>
    ms === null ? [] : [`${name.replace(/_ms$/, '').replaceAll('_', ' ')} ${tenths(ms)}`],
  );
  const answer = http_status === null ? detail : detail?.startsWith(`answered ${http_status} `) ? detail : http_status;
  const what = [answer, duration_ms === null ? null : `after ${tenths(duration_ms)} ms`];
  const shown = what.filter((part) => part !== null).join(' ');
  return `${outcome}: ${printable(shown)}${phases.length === 0 ? '' : ` (${phases.join(', ')})`}`;
}

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
