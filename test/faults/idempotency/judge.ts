import { type Finding } from './findings.ts';
import type { History } from './history.ts';
import { judgeAnswers } from './rules/answers.ts';
import { judgeEffects } from './rules/effects.ts';
import { judgePublished } from './rules/published.ts';

/** The broken rules of a run that has ended: every key has its answer, and nothing is on its way to the topic. */
export const judge = (history: History): Finding[] => [
  ...judgeAnswers(history),
  ...judgeEffects(history),
  ...judgePublished(history),
];

/** The part of it that is about one scenario's keys. */
export function partOf(history: History, scenario: string): History {
  const intents = history.intents.filter((intent) => intent.scenario === scenario);
  const numbers = new Set(intents.map(({ number }) => number));
  const tenants = new Set(intents.map(({ tenant }) => tenant));
  const isOwn = ({ tenant }: { tenant: string }): boolean => tenants.has(tenant);
  const { events, endpoints, dedupKeys, records, outbox } = history.rows;
  const rows = {
    events: events.filter(isOwn),
    endpoints: endpoints.filter(isOwn),
    dedupKeys: dedupKeys.filter(isOwn),
    records: records.filter(isOwn),
    outbox: outbox.filter(isOwn),
  };
  const ids = new Set(rows.events.map(({ id }) => id));
  return {
    intents,
    calls: history.calls.filter(({ intent }) => numbers.has(intent)),
    rows,
    published: history.published.filter(({ id }) => ids.has(id)),
    faults: history.faults,
  };
}
