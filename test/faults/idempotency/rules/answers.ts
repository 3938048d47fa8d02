import { overlaps } from '../../checker/ledger.ts';
import type { Finding } from '../findings.ts';
import { type Call, type History, type Intent, isSettled } from '../history.ts';

/** Checks the answers to one key: one fresh one at the most, all others a replay of it, or a request to come again. */
export function judgeAnswers(history: History): Finding[] {
  const callsOf = Map.groupBy(history.calls, ({ intent }) => intent);
  return history.intents.flatMap((intent) => {
    const calls = callsOf.get(intent.number) ?? [];
    return [...matchEach(history, intent, calls), ...judgeTogether(intent, calls)];
  });
}

function matchEach({ faults }: History, intent: Intent, calls: readonly Call[]): Finding[] {
  return calls.flatMap((call): Finding[] => {
    const at = { intent: intent.number };
    if (!isExpected(intent, call))
      return [{ ...at, finding: 'unexpected-answer', says: `${call.status} ${call.detail} from ${call.process}` }];
    // A client that has lost patience knows why it has no answer.
    const isLost = call.status === null && call.detail !== 'ETIMEDOUT';
    const isExcused = faults.some(
      (fault) => fault.service === 'api' && overlaps(fault, call.startedAtMs, call.endedAtMs),
    );
    return isLost && !isExcused
      ? [{ ...at, finding: 'lost-connection', says: `${call.detail} from ${call.process}` }]
      : [];
  });
}

function isExpected(intent: Intent, { status, detail, altered }: Call): boolean {
  if (status === null) return true;
  if (status === 503) return detail === 'unavailable';
  if (status === 409) return detail === 'idempotency_in_progress';
  if (altered) return status === 422 && detail === 'idempotency_key_reused';
  return status === intent.status && (status !== 400 || detail === 'url_not_allowed');
}

function judgeTogether(intent: Intent, calls: readonly Call[]): Finding[] {
  const settled = calls.filter((call) => !call.altered && isSettled(call));
  const fresh = settled.filter(({ replayed }) => !replayed);
  const different = new Set(settled.map(({ answerSha256 }) => answerSha256));
  const found: Finding[] = [];
  const add = (finding: Finding['finding'], says: string): void =>
    void found.push({ finding, says, intent: intent.number });
  if (settled.length === 0) add('unanswered', `${calls.length} requests`);
  if (calls.some(({ altered }) => altered) && !calls.some((call) => call.altered && isSettled(call)))
    add('unanswered', 'with another body');
  if (fresh.length > 1) add('second-fresh-answer', `${fresh.length} without a mark of replay`);
  if (different.size > 1) add('other-answer', `${different.size} different ones`);
  return found;
}
