/** The plot of a run over the whole system. */
import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Point } from '../../support/plots/plot.ts';
import { type NamedRun, systemResultOf } from './recordings.ts';

/** Other runs have none. */
export function plotsOf({ name, run }: NamedRun): NamedPlot[] {
  const timeline = systemResultOf(run)?.timeline;
  if (timeline === undefined || timeline.taken.length === 0) return [];
  const { stretchSeconds, taken, arrived } = timeline;
  const series = (of: string, counts: readonly number[]): PlottedSeries => ({
    name: of,
    points: counts.map((count, stretch): Point => [(stretch * stretchSeconds) / 60, count / stretchSeconds]),
  });
  return [
    {
      name: `${name}-traffic`,
      alt: `Events taken and arrived a second, over the run: ${name}`,
      plot: {
        title: 'Taken and arrived',
        subtitle: `of each ${stretchSeconds} s, at an endpoint that is well`,
        x: { title: 'minutes since the first was taken' },
        y: { title: 'events a second' },
        series: [series('taken', taken), series('arrived', arrived)],
      },
    },
  ];
}
