import { alignFigures } from '../../support/align-figures.ts';
import type { Fault } from '../checker/history.ts';
import { type Ledger, standing } from '../checker/ledger.ts';
import { type RepeatCause, repeatCauses } from './repeats.ts';

/** One row of the report. */
export interface ScenarioResult {
  scenario: string;
  events: number;
  deliveries: number;
  delivered: number;
  deadLettered: number;
  cancelled: number;
  /** Deliveries of replayed dead letters. */
  replayed: number;
  requests: number;
  /** Sent again after they were taken: by their cause, and without one. */
  repeats: Readonly<Record<RepeatCause, number>>;
  repeatsElsewhere: number;
  deadLettersAgain: number;
  outOfOrder: number;
  kills: number;
  /** Joins of dispatchers, divided by how many there are. */
  rebalances: number;
  seconds: number;
  drainSeconds: number;
  /** How far the tables were behind at most when a new owner sent again what had ended. */
  longestKnownMs: number;
  /** From acceptance to arrival, of keys without a failing head. */
  latencies: Readonly<Record<string, { p50: number; p99: number }>>;
  /** In words; empty where all is well. */
  violations: string[];
}

const headings: [key: Exclude<keyof ScenarioResult, 'repeats' | 'latencies' | 'violations'>, heading: string][] = [
  ['scenario', 'scenario'],
  ['events', 'events'],
  ['deliveries', 'deliveries'],
  ['delivered', 'delivered'],
  ['deadLettered', 'dead'],
  ['cancelled', 'cancelled'],
  ['replayed', 'replayed'],
  ['requests', 'requests'],
  ['repeatsElsewhere', 'repeats without a cause'],
  ['deadLettersAgain', 'dead letters again'],
  ['outOfOrder', 'out of order'],
  ['kills', 'kills'],
  ['rebalances', 'rebalances'],
  ['seconds', 's'],
  ['drainSeconds', 'drained s'],
];

/** How its deliveries have ended. */
export function endsOf(
  ledger: Ledger,
): Pick<
  ScenarioResult,
  'events' | 'deliveries' | 'delivered' | 'deadLettered' | 'cancelled' | 'replayed' | 'requests'
> {
  const all = [...ledger.deliveries.values()];
  const ended = (status: string): number => all.filter((delivery) => standing(delivery).status === status).length;
  return {
    events: ledger.eventsById.size,
    deliveries: all.length,
    delivered: ended('delivered'),
    deadLettered: ended('dead_lettered'),
    cancelled: ended('cancelled'),
    replayed: all.filter(({ generation }) => generation > 0).length,
    requests: ledger.history.arrivals.length,
  };
}

export const formatTable = (results: readonly ScenarioResult[]): string =>
  alignFigures([
    [...headings.map(([, heading]) => heading), ...repeatCauses.map((cause) => `repeats: ${cause}`)],
    ...results.map((result) => [
      ...headings.map(([key]) => String(result[key])),
      ...repeatCauses.map((cause) => String(result.repeats[cause])),
    ]),
  ]);

/** How often the dispatchers died of what. */
export function formatKills(faults: readonly Fault[]): string {
  const whats = faults
    .filter(({ service }) => service === 'dispatcher')
    .map(({ what }) => what.replace(/@\d+$/, '').replace(/ of dispatcher.*$/, ''));
  const counts = [...Map.groupBy(whats, (what) => what)].map(([what, all]) => [what, String(all.length)]);
  return alignFigures([['died of', 'times'], ...counts.sort()]);
}

export const formatLatencies = ({ scenario, latencies }: ScenarioResult): string[] =>
  Object.entries(latencies).map(
    ([act, { p50, p99 }]) =>
      `${scenario}, ${act}: from acceptance to arrival, keys without a failing head: p50 ${p50} ms, p99 ${p99} ms`,
  );
