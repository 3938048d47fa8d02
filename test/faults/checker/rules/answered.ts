/** Checks that senders get an answer in time while something is away. */
import type { Violation } from '../anomalies.ts';
import type { Send } from '../history.ts';
import { type Ledger, overlapsFault, stoodStill } from '../ledger.ts';

/** Two seconds are promised; the rest is for the sender's own queue and a machine that does other things as well. */
const latestRefusalMs = 3_000;

export function everyRequestIsAnswered(ledger: Ledger): Violation[] {
  return ledger.history.sends
    .filter((send) => send.status === null)
    .filter((send) => !overlapsFault(ledger, send.startedAtMs, send.endedAtMs, 'ingress'))
    .map((send) => ({ anomaly: 'no-answer', subject: { send: send.number }, says: send.detail }));
}

/** One that was stopped (SIGSTOP) keeps no time limit. */
export function refusalsComeInTime(ledger: Ledger): Violation[] {
  return ledger.history.sends
    .filter((send) => send.status === 503 && tookMs(send) > latestRefusalMs)
    .filter((send) => !stoodStill(ledger, send.startedAtMs, send.endedAtMs, 'ingress'))
    .map((send) => ({
      anomaly: 'late-answer',
      subject: { send: send.number },
      says: `503 after ${Math.round(tookMs(send))} ms`,
    }));
}

export const tookMs = ({ startedAtMs, endedAtMs }: Send): number => endedAtMs - startedAtMs;
