import { alignFigures } from '../../support/align-figures.ts';
import { type History, isSettled } from './history.ts';
import { republished } from './rules/published.ts';

/** The outcomes of the keys of one scenario, or of all. */
export interface Totals {
  keys: number;
  requests: number;
  /** First answers with an outcome; a key whose owner died has none. */
  fresh: number;
  replayed: number;
  inProgress: number;
  unavailable: number;
  unanswered: number;
  events: number;
  endpoints: number;
  /** Keys whose answer is a refusal. */
  refused: number;
  republished: number;
}

/** One row of the report. */
export interface ScenarioResult extends Totals {
  scenario: string;
  kills: number;
  leasesLost: number;
  commitsUnknown: number;
  seconds: number;
  /** In words; empty where all is well. */
  violations: string[];
}

const headings: [key: keyof ScenarioResult, heading: string][] = [
  ['scenario', 'scenario'],
  ['keys', 'keys'],
  ['requests', 'requests'],
  ['fresh', 'fresh'],
  ['replayed', 'replayed'],
  ['inProgress', '409'],
  ['unavailable', '503'],
  ['unanswered', 'no answer'],
  ['events', 'events'],
  ['endpoints', 'endpoints'],
  ['refused', 'refused'],
  ['republished', 'republished'],
  ['kills', 'kills'],
  ['leasesLost', 'leases lost'],
  ['commitsUnknown', 'commits unknown'],
  ['seconds', 's'],
];

export function totalsOf({ intents, calls, rows, published }: History): Totals {
  const count = (isCounted: (call: History['calls'][number]) => boolean): number => calls.filter(isCounted).length;
  return {
    keys: intents.length,
    requests: calls.length,
    fresh: count((call) => isSettled(call) && !call.altered && !call.replayed),
    replayed: count(({ replayed }) => replayed),
    inProgress: count(({ status }) => status === 409),
    unavailable: count(({ status }) => status === 503),
    unanswered: count(({ status }) => status === null),
    events: rows.events.length,
    endpoints: rows.endpoints.length,
    refused: intents.filter(({ status }) => status === 400).length,
    republished: republished({ published }),
  };
}

export const formatTable = (results: readonly ScenarioResult[]): string =>
  alignFigures([
    headings.map(([, heading]) => heading),
    ...results.map((result) => headings.map(([key]) => String(result[key]))),
  ]);
