import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Point } from '../../support/plots/plot.ts';
import { percentile } from '../../support/percentiles.ts';
import type { SentWebhook } from '../traffic/load-messages.ts';

/** The measurement at one rate. */
export interface Rate {
  perSecond: number;
  /** Processor seconds by process. */
  spent: Readonly<Record<string, number>>;
  sent: readonly SentWebhook[];
  /** Its drivers: `loop turns of ingress`, for each webhook. */
  drivers: readonly (readonly [name: string, each: number])[];
  /** The sender's lateness, at worst. */
  lateMs: number;
}

/** @param latenciesOf from acceptance to arrival, in ms */
export function latencyPlot(given: readonly Rate[], latenciesOf: (rate: Rate) => number[]): NamedPlot {
  const rates = given.toSorted((a, b) => a.perSecond - b.perSecond);
  const latency = (part: number): PlottedSeries => ({
    name: `p${part * 100}`,
    points: rates.map((rate): Point => [rate.perSecond, Math.max(1, percentile(latenciesOf(rate), part))]),
  });
  return {
    name: 'whole-latency',
    alt: 'How long an accepted webhook takes to arrive, by how many come',
    plot: {
      title: 'Accepted to arrived',
      subtitle: 'open loop; one process of each service, sender, receiver and servers on the same machine',
      x: { title: 'webhooks a second' },
      y: { title: 'ms', log: true },
      series: [0.5, 0.9, 0.99].map(latency),
    },
  };
}
