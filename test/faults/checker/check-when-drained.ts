import { setTimeout as delay } from 'node:timers/promises';
import type { Anomaly } from './anomalies.ts';
import { check, type Verdict } from './check.ts';
import { loadHistory, type Witnesses } from './load-history.ts';

/** Anomalies that no further work can put right: waiting would only hide them for a while. */
const final: readonly Anomaly[] = [
  'aborted-read',
  'changed-bytes',
  'inconsistent-offsets',
  'two-ends',
  'second-event-id',
  'false-duplicate',
  'reopened-delivery',
  'needless-dead-letter',
  'no-answer',
  'late-answer',
  'refused-signature',
];

/**
 * The verdict once nothing is under way any more: looks again until all is well, something can't become well, or nothing more arrives. All
 * senders must have ended.
 *
 * @param quietMs how long nothing may arrive while something is under way: however slow the machine is, it may go on
 * @param drained cheap, and enough to know when the whole is worth being read
 */
export async function checkWhenDrained(
  witnesses: Witnesses,
  quietMs: number,
  drained: () => Promise<boolean> = () => everyEventHasEnded(witnesses),
): Promise<Verdict> {
  const { arrivals } = witnesses;
  let [arrived, deadlineMs] = [arrivals.length, performance.now() + quietMs];
  for (;;) {
    if (arrivals.length > arrived) [arrived, deadlineMs] = [arrivals.length, performance.now() + quietMs];
    if ((await drained()) || performance.now() >= deadlineMs) {
      const verdict = check(await loadHistory(witnesses), witnesses.scope);
      const hopeless = verdict.violations.some(({ anomaly }) => final.includes(anomaly));
      if (verdict.violations.length === 0 || hopeless || performance.now() >= deadlineMs) return verdict;
    }
    await delay(500);
  }
}

/** By the API alone. */
async function everyEventHasEnded({ api, sends, sourceIds, startedAt }: Witnesses): Promise<boolean> {
  const events = (await api.eventsSince(startedAt)).filter(
    (event) => sourceIds === 'all' || sourceIds.has(event.source_id),
  );
  const accounted = events.reduce((sum, event) => sum + 1 + event.duplicates, 0);
  const accepted = sends.filter((send) => send.outcome === 'ok').length;
  return accounted >= accepted && events.every(({ status }) => status === 'completed' || status === 'dead_lettered');
}
