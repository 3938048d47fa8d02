import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Point } from '../../support/plots/plot.ts';
import { pipelineServices } from '../../support/stack.ts';
import { percentile } from '../../support/percentiles.ts';
import type { SentWebhook } from '../traffic/load-process.ts';

/** The registry is left out: it is used only at the start. */
const plottedProcesses = [...pipelineServices, 'kafka', 'redis', 'postgres'];

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
export function plotsOf(given: readonly Rate[], latenciesOf: (rate: Rate) => number[]): NamedPlot[] {
  const rates = given.toSorted((a, b) => a.perSecond - b.perSecond);
  const x = { title: 'webhooks a second' };
  const latency = (part: number): PlottedSeries => ({
    name: `p${part * 100}`,
    points: rates.map((rate): Point => [rate.perSecond, Math.max(1, percentile(latenciesOf(rate), part))]),
  });
  const cost = (name: string): PlottedSeries => ({
    name,
    points: rates.map(({ perSecond, spent, sent }): Point => [perSecond, ((spent[name] ?? 0) * 1e6) / sent.length]),
  });
  return [
    {
      name: 'whole-latency',
      alt: 'How long an accepted webhook takes to arrive, by how many come',
      plot: {
        title: 'Accepted to arrived',
        subtitle: 'open loop; one process of each service, sender, receiver and servers on the same machine',
        x,
        y: { title: 'ms', log: true },
        series: [0.5, 0.9, 0.99].map(latency),
      },
    },
    {
      name: 'whole-cost',
      alt: 'Where the processor time of a webhook goes, by how many come',
      plot: {
        title: 'Processor time by process',
        subtitle: 'what each spends at rest included: it weighs the less the more come',
        x,
        y: { title: 'µs a webhook' },
        series: plottedProcesses.map(cost),
      },
    },
  ];
}
