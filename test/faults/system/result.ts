import type { Anomaly } from '../checker/anomalies.ts';
import type { Verdict } from '../checker/check.ts';
import { standing } from '../checker/ledger.ts';
import { repeatsOf } from '../checker/rules/arrived.ts';
import { changesMissedBy } from '../checker/rules/polled.ts';
import { isDone } from '../checker/rules/published.ts';
import { formatRows } from '../support/format-rows.ts';
import { type RepeatCause, repeatCauses } from '../delivering/repeats.ts';
import type { KindResult, Percentiles } from './recovery.ts';

/** What is reported of a run; every number is counted from what was seen. */
export interface SystemResult {
  requests: number;
  /** Of webhooks: 2xx. */
  accepted: number;
  /** Idempotency keys that were answered 2xx. */
  published: number;
  events: number;
  duplicates: number;
  lost: number;
  secondEventIds: number;
  secondEffects: number;
  deliveries: number;
  delivered: number;
  deadLettered: number;
  cancelled: number;
  /** Deliveries of a letter that somebody replayed. */
  replayed: number;
  /** By stage and reason. */
  letters: Readonly<Record<string, number>>;
  /** Records on `events` and `deliveries` beyond the first of their id. */
  republishedEvents: number;
  rewrittenDeliveries: number;
  /** What receivers took beyond the first time. */
  repeatedDeliveries: number;
  changes: number;
  pollers: Readonly<Record<string, { shown: number; missed: number; failed: number }>>;
  /** Of those, sent again by Hookline after they were taken, by their cause; each without one is a violation. */
  repeats: Readonly<Record<RepeatCause, number>>;
  latencyMs: { arrival: Percentiles; fanOut: Percentiles };
  kinds: readonly KindResult[];
  faults: number;
  /** Kinds that can't be done here, with why. */
  leftOut: Readonly<Record<string, string>>;
  /** Processes that ended by themselves and were started again. */
  restarts: number;
  seconds: number;
  drainSeconds: number;
  /** In words; empty where all is well. */
  violations: string[];
}

/** Each a way in which something that was taken does not become what it should. */
const losses: readonly Anomaly[] = [
  'lost-write',
  'vanished-record',
  'unseen',
  'duplicate-of-nothing',
  'missing-delivery',
  'lost-letter',
];

type Counted = Omit<
  SystemResult,
  'repeats' | 'latencyMs' | 'kinds' | 'faults' | 'leftOut' | 'restarts' | 'seconds' | 'drainSeconds' | 'violations'
>;

export function countsOf({ ledger, tally }: Verdict): Counted {
  const { history, deliveries, eventsById, arrivalsByPair } = ledger;
  const ended = (status: string): number =>
    deliveries.values().reduce((sum, delivery) => sum + Number(standing(delivery).status === status), 0);
  const tallied = (...names: readonly Anomaly[]): number => names.reduce((sum, name) => sum + (tally[name] ?? 0), 0);
  const letters = Map.groupBy(history.topics['dead-letters'], ({ stage, reason }) => `${stage}: ${reason}`);
  return {
    requests: history.sends.length,
    accepted: history.sends.filter(({ outcome }) => outcome === 'ok').length,
    published: history.publishes.filter(({ calls }) => calls.some(isDone)).length,
    events: eventsById.size,
    duplicates: ledger.duplicatesByOrigin.size,
    lost: tallied(...losses),
    secondEventIds: tallied('second-event-id', 'inconsistent-offsets'),
    secondEffects: tallied('second-effect', 'second-answer', 'false-answer'),
    deliveries: deliveries.size,
    delivered: ended('delivered'),
    deadLettered: ended('dead_lettered'),
    cancelled: ended('cancelled'),
    replayed: deliveries.values().reduce((sum, { generation }) => sum + Number(generation > 0), 0),
    letters: Object.fromEntries([...letters].map(([reason, all]) => [reason, all.length])),
    republishedEvents: history.topics.events.length - eventsById.size,
    rewrittenDeliveries: history.topics.deliveries.length - deliveries.size,
    repeatedDeliveries: arrivalsByPair.values().reduce((sum, ofPair) => sum + repeatsOf(ledger, ofPair).length, 0),
    changes: history.changes.length,
    pollers: Object.fromEntries(
      history.pollers.map((poller) => [
        poller.name,
        { shown: poller.items.length, missed: changesMissedBy(ledger, poller).length, failed: poller.failed },
      ]),
    ),
  };
}

export function formatResult(result: SystemResult): string {
  const { latencyMs, letters, pollers } = result;
  const missed = Object.values(pollers).reduce((sum, poller) => sum + poller.missed, 0);
  const lines: [what: string, is: string][] = [
    ['accepted', `${result.accepted} webhooks (${result.requests} requests), ${result.published} published events`],
    ['became', `${result.events} events, ${result.duplicates} duplicates`],
    ['lost', String(result.lost)],
    ['second event ids', String(result.secondEventIds)],
    ['second effects', String(result.secondEffects)],
    ['polls missed', `${missed} of ${result.changes} changes, by ${Object.keys(pollers).length} pollers`],
    [
      'deliveries',
      `${result.deliveries}: ${result.delivered} delivered (${result.replayed} of a replay), ${result.deadLettered} dead-lettered, ${result.cancelled} cancelled`,
    ],
    [
      'dead letters',
      Object.entries(letters)
        .map(([reason, count]) => `${reason} ${count}`)
        .join(', ') || '0',
    ],
    ['republished', `${result.republishedEvents} records on events, ${result.rewrittenDeliveries} on deliveries`],
    [
      'repeated',
      `${result.repeatedDeliveries} deliveries that a receiver had taken: ${repeatCauses.map((cause) => `${cause} ${result.repeats[cause]}`).join(', ')}`,
    ],
    ['acceptance to fan-out', `${formatPercentiles(latencyMs.fanOut)}, all faults included`],
    ['acceptance to arrival', formatPercentiles(latencyMs.arrival)],
    [
      'faults survived',
      `${result.violations.length === 0 ? result.faults : '?'} of ${result.faults}, of ${result.kinds.length} kinds; ${result.restarts} restarts by the supervisor`,
    ],
    ...Object.entries(result.leftOut).map(([kind, why]): [string, string] => ['left out', `${kind}: ${why}`]),
    ['took', `${result.seconds} s, of which ${result.drainSeconds} s after the last fault`],
  ];
  const width = Math.max(...lines.map(([what]) => what.length));
  return lines.map(([what, is]) => `${what.padEnd(width)}  ${is}`).join('\n');
}

const formatPercentiles = ({ p50, p99, max }: Percentiles): string => `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;

export const formatKinds = (kinds: readonly KindResult[]): string =>
  formatRows([
    ['fault', 'times', 'taken meanwhile', 'recovered: p50 ms', 'p99 ms', 'max ms'],
    ...kinds.map(({ kind, times, taken, recoveryMs }) =>
      [kind, times, taken, recoveryMs.p50, recoveryMs.p99, recoveryMs.max].map(String),
    ),
  ]);

export const formatPollers = (pollers: SystemResult['pollers']): string =>
  formatRows([
    ['poller', 'shown', 'missed', 'requests that failed'],
    ...Object.entries(pollers).map(([name, { shown, missed, failed }]) => [
      name,
      ...[shown, missed, failed].map(String),
    ]),
  ]);
