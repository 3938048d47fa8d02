import { alignFigures } from '../../support/align-figures.ts';
import type { Verdict } from '../checker/check.ts';
import type { Send } from '../checker/history.ts';
import { tookMs } from '../checker/rules/answered.ts';

/** One row of the report. */
export interface ScenarioResult {
  scenario: string;
  webhooks: number;
  requests: number;
  accepted: number;
  unavailable: number;
  unanswered: number;
  records: number;
  first: number;
  duplicates: number;
  changed: number;
  republished: number;
  deadLetters: number;
  lost: number;
  secondIds: number;
  kills: number;
  slowest503Ms: number;
  seconds: number;
  /** From the last fault and the last webhook until nothing was under way. */
  drainSeconds: number;
  /** In words; empty where all is well. */
  violations: string[];
}

const headings: [key: keyof ScenarioResult, heading: string][] = [
  ['scenario', 'scenario'],
  ['webhooks', 'webhooks'],
  ['requests', 'sent'],
  ['accepted', '2xx'],
  ['unavailable', '503'],
  ['unanswered', 'no answer'],
  ['records', 'records'],
  ['first', 'first'],
  ['duplicates', 'duplicates'],
  ['changed', 'changed'],
  ['republished', 'republished'],
  ['deadLetters', 'dead letters'],
  ['lost', 'lost'],
  ['secondIds', 'second ids'],
  ['kills', 'kills'],
  ['slowest503Ms', 'max 503 ms'],
  ['seconds', 's'],
  ['drainSeconds', 'drained s'],
];

/** Each a way in which a webhook that was taken does not become what it should. */
const losses = ['lost-write', 'vanished-record', 'unseen', 'duplicate-of-nothing', 'poll-skip'] as const;

export function countsOf(
  sends: readonly Send[],
  { counts, tally }: Verdict,
): Omit<ScenarioResult, 'scenario' | 'webhooks' | 'kills' | 'seconds' | 'drainSeconds' | 'violations'> {
  const rowOf = (name: string) => counts.find(({ whole }) => whole[0] === name);
  const whole = (name: string): number => rowOf(name)?.whole[1] ?? 0;
  const part = (name: string, of: string): number => rowOf(name)?.parts.find(([each]) => each === of)?.[1] ?? 0;
  const refused = sends.filter(({ status }) => status === 503);
  return {
    requests: whole('requests sent'),
    accepted: whole('requests answered 2xx'),
    unavailable: refused.length,
    unanswered: sends.filter(({ status }) => status === null).length,
    records: whole('records on webhooks.received'),
    first: part('records on events', 'event ids'),
    duplicates: whole('duplicates'),
    changed: part('duplicates', 'other bytes'),
    republished: part('records on events', 'published again'),
    deadLetters: part('webhooks received (origins)', 'dead letter'),
    lost: losses.reduce((sum, anomaly) => sum + (tally[anomaly] ?? 0), 0),
    secondIds: tally['second-event-id'] ?? 0,
    slowest503Ms: Math.round(refused.reduce((slowest, send) => Math.max(slowest, tookMs(send)), 0)),
  };
}

/** Formats a result for the console. */
export const describeResult = ({
  accepted,
  first,
  duplicates,
  lost,
  secondIds,
  violations,
  drainSeconds,
}: ScenarioResult): string =>
  `${accepted} taken: ${first} events, ${duplicates} duplicates, ${lost} lost, ${secondIds} second ids, ${
    violations.length === 0 ? 'no violation' : 'VIOLATIONS'
  }; drained in ${drainSeconds} s`;

export const formatTable = (results: readonly ScenarioResult[]): string =>
  alignFigures([
    headings.map(([, heading]) => heading),
    ...results.map((result) => headings.map(([key]) => String(result[key]))),
  ]);
