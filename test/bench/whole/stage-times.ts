import { percentile } from '../../support/percentiles.ts';
import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Point } from '../../support/plots/plot.ts';
import { withDatabase } from '../../support/with-database.ts';
import type { SentWebhook } from '../traffic/load-process.ts';

/** When an event passed what it has to pass, in ms since 1970 by the clock that all processes share. */
export interface Passed {
  receivedAtMs: number;
  /** Accepted as the first, and its delivery planned. */
  fannedOutAtMs: number;
  /** Its last change was ready to be polled. */
  updatedAtMs: number;
}

/** @returns times by the id of the receipt that became the event; only of events without repetitions, which would change them again */
export const readPassed = (databaseUrl: string): Promise<ReadonlyMap<string, Passed & { eventId: string }>> =>
  withDatabase(databaseUrl, async (postgres) => {
    const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;
    const rows = await postgres.query<{
      receipt_id: string;
      id: string;
      received: number;
      fanned: number;
      updated: number;
    }>(
      `SELECT e.receipt_id, e.id, ${ms('e.received_at')} AS received, ${ms('d.created_at')} AS fanned, ${ms('e.updated_at')} AS updated
         FROM events AS e JOIN deliveries AS d ON d.tenant = e.tenant AND d.event_id = e.id
        WHERE e.duplicates = 0 AND e.status = 'completed'`,
    );
    return new Map(
      rows.map(({ receipt_id, id, received, fanned, updated }) => [
        receipt_id,
        { eventId: id, receivedAtMs: received, fannedOutAtMs: fanned, updatedAtMs: updated },
      ]),
    );
  });

const stages = ['acknowledged', 'accepted once and fanned out', 'sent', 'to be polled'] as const;
type StageTimes = Record<(typeof stages)[number], number>;

/** How long each of them took with each stage, in ms; what two clock readings of a process make negative counts as 0. */
export function stageTimesOf(
  sent: readonly SentWebhook[],
  passed: ReadonlyMap<string, Passed & { eventId: string }>,
  arrivedAt: ReadonlyMap<string, number>,
): StageTimes[] {
  return sent.flatMap(({ receiptId, tookMs }) => {
    const event = passed.get(receiptId ?? '');
    const arrivedAtMs = arrivedAt.get(event?.eventId ?? '');
    if (event === undefined || arrivedAtMs === undefined) return [];
    return [
      {
        acknowledged: tookMs,
        'accepted once and fanned out': Math.max(0, event.fannedOutAtMs - event.receivedAtMs),
        sent: Math.max(0, arrivedAtMs - event.fannedOutAtMs),
        'to be polled': Math.max(0, event.updatedAtMs - arrivedAtMs),
      },
    ];
  });
}

const plottedShares = [
  { share: 0.5, name: 'p50', words: 'Half of all webhooks' },
  { share: 0.99, name: 'p99', words: '99 of 100 webhooks' },
];
/** A logarithmic scale has no zero: the least value that is drawn. */
const leastMs = 0.1;

/** @param times of each rate, in webhooks a second */
export function stagePlots(times: ReadonlyMap<number, readonly StageTimes[]>): NamedPlot[] {
  const rates = [...times].sort(([a], [b]) => a - b);
  return plottedShares.map(({ share, name, words }) => ({
    name: `whole-stages-${name}`,
    alt: `How long each stage takes with a webhook, ${name}, by how many come`,
    plot: {
      title: `Each stage, ${name}`,
      subtitle: `${words} take no longer with it; a stage waits for what the one before has not handed on yet`,
      x: { title: 'webhooks a second' },
      y: { title: 'ms', log: true },
      series: stages.map((stage): PlottedSeries => ({
        name: stage,
        points: rates.map(([perSecond, of]): Point => {
          const taken = of.map((each) => each[stage]);
          return [perSecond, Math.max(leastMs, percentile(taken, share))];
        }),
      })),
    },
  }));
}
