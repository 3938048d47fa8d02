import { alignColumns } from '../../../services/cli/output/text-table.ts';
import { alignFigures } from '../../support/align-figures.ts';
import type { LoopDelay } from '../../support/loop-delay.ts';
import type { RepeatCause } from '../delivering/repeats.ts';
import type { FaultKind } from './fault-kind.ts';
import type { KindResult, Percentiles, Timeline } from './recovery.ts';

/** The report of a run; every number is counted from what was seen. */
export interface SystemResult {
  requests: number;
  /** Webhooks that were answered 2xx. */
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
  /** Deliveries of replayed dead letters. */
  replayed: number;
  /** By stage and reason. */
  deadLetters: Readonly<Record<string, number>>;
  /** Records on `events` and `deliveries` beyond the first of their id. */
  republishedEvents: number;
  rewrittenDeliveries: number;
  /** Deliveries that receivers took beyond the first time. */
  repeatedDeliveries: number;
  changes: number;
  pollers: Readonly<Record<string, { shown: number; missed: number; failed: number }>>;
  /** The part of them that Hookline sent again after they were taken, by cause; each without a cause is a violation. */
  repeats: Readonly<Record<RepeatCause, number>>;
  latencyMs: { arrival: Percentiles; fanOut: Percentiles };
  timeline: Timeline;
  kinds: readonly ToldKind[];
  faults: number;
  /** Kinds that can't be done here, with why. */
  leftOut: Readonly<Record<string, string>>;
  /** Processes that ended by themselves and were started again. */
  restarts: number;
  /** How late the run itself was with what it sends, receives and writes down, and its links with what they pass on. */
  late: { run: LoopDelay; links: LoopDelay };
  seconds: number;
  drainSeconds: number;
  /** In words; empty where all is well. */
  violations: string[];
}

/** The results of a kind, with its description at the time of the run. */
export interface ToldKind extends KindResult, Pick<FaultKind, 'says' | 'track'> {}

export const tellKinds = (results: readonly KindResult[], kinds: readonly FaultKind[]): ToldKind[] =>
  results.flatMap((result) =>
    kinds.filter(({ name }) => name === result.kind).map(({ says, track }) => ({ ...result, says, track })),
  );

export const pollsMissed = ({ pollers }: SystemResult): number =>
  Object.values(pollers).reduce((sum, { missed }) => sum + missed, 0);

export function rowsOf(result: SystemResult): [what: string, is: string][] {
  const { late, latencyMs, deadLetters, pollers } = result;
  return [
    ['accepted', `${result.accepted} webhooks (${result.requests} requests), ${result.published} published events`],
    ['became', `${result.events} events, ${result.duplicates} duplicates`],
    ['lost', String(result.lost)],
    ['second event ids', String(result.secondEventIds)],
    ['second effects', String(result.secondEffects)],
    ['polls missed', `${pollsMissed(result)} of ${result.changes} changes, by ${Object.keys(pollers).length} pollers`],
    [
      'deliveries',
      `${result.deliveries}: ${result.delivered} delivered (${result.replayed} of a replay), ${result.deadLettered} dead-lettered, ${result.cancelled} cancelled`,
    ],
    [
      'dead letters',
      Object.entries(deadLetters)
        .map(([reason, count]) => `${reason} ${count}`)
        .join(', ') || '0',
    ],
    ['republished', `${result.republishedEvents} records on events, ${result.rewrittenDeliveries} on deliveries`],
    [
      'repeated',
      `${result.repeatedDeliveries} deliveries that a receiver had taken: ${Object.entries(result.repeats)
        .map(([cause, times]) => `${cause} ${times}`)
        .join(', ')}`,
    ],
    ['acceptance to fan-out', `${formatPercentiles(latencyMs.fanOut)}, all faults included`],
    ['acceptance to arrival', formatPercentiles(latencyMs.arrival)],
    [
      'faults survived',
      `${result.violations.length === 0 ? result.faults : '?'} of ${result.faults}, of ${result.kinds.length} kinds; ${result.restarts} restarts by the supervisor`,
    ],
    ...Object.entries(result.leftOut).map(([kind, why]): [string, string] => ['left out', `${kind}: ${why}`]),
    [
      'late',
      `the run itself by p99 ${late.run.p99} ms, max ${late.run.max} ms; its links ${late.links.p99} and ${late.links.max} ms`,
    ],
    ['took', `${result.seconds} s, of which ${result.drainSeconds} s after the last fault`],
  ];
}

export const formatResult = (result: SystemResult): string => alignColumns(rowsOf(result));

const formatPercentiles = (percentiles: Percentiles): string =>
  (['p50', 'p99', 'max'] as const)
    .map((name) => `${name} ${Number.isFinite(percentiles[name]) ? `${percentiles[name]} ms` : 'never'}`)
    .join(', ');

export const formatKinds = (kinds: readonly KindResult[]): string =>
  alignFigures([
    ['fault', 'times', 'taken meanwhile', 'recovered: p50 ms', 'p99 ms', 'max ms'],
    ...kinds.map(({ kind, times, taken, recoveryMs }) =>
      [kind, times, taken, recoveryMs.p50, recoveryMs.p99, recoveryMs.max].map(String),
    ),
  ]);

export const formatPollers = (pollers: SystemResult['pollers']): string =>
  alignFigures([
    ['poller', 'shown', 'missed', 'requests that failed'],
    ...Object.entries(pollers).map(([name, { shown, missed, failed }]) => [
      name,
      ...[shown, missed, failed].map(String),
    ]),
  ]);
