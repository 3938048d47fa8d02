import type { AttemptOutcome } from '#lib/contract';
import { excerptText } from './delivery.ts';
import type { RecentAttempt } from './endpoint-health.ts';

/** Failed attempts that came to the same: the outcome, and the status of the answer. */
export interface AnswerGroup {
  outcome: AttemptOutcome;
  http_status: number | null;
  attempts: number;
  first_at: string;
  last_at: string;
  /** The last attempt's, as are the next two. */
  detail: string | null;
  response_excerpt: string | null;
  delivery_id: string;
}

const mostGroups = 10;

/** @param attempts the newest first. @returns the largest groups of those that failed, the largest first */
export function answerGroups(attempts: readonly RecentAttempt[]): AnswerGroup[] {
  const groups = new Map<string, AnswerGroup>();
  for (const { outcome, http_status, at, detail, excerpt, delivery_id } of attempts) {
    if (outcome === null || outcome === 'delivered') continue;
    const key = `${outcome}/${http_status}`;
    const group = groups.get(key);
    if (group !== undefined) Object.assign(group, { attempts: group.attempts + 1, first_at: at });
    else
      groups.set(key, {
        ...{ outcome, http_status, attempts: 1, first_at: at, last_at: at, detail, delivery_id },
        response_excerpt: excerpt === null ? null : (excerptText(excerpt) ?? null),
      });
  }
  return [...groups.values()].toSorted((a, b) => b.attempts - a.attempts).slice(0, mostGroups);
}
