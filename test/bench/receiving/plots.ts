import { quantile } from '../../support/load/latencies.ts';
import type { LoadReport } from '../../support/load/load.ts';
import type { NamedPlot } from '../../support/plots/named-plot.ts';
import type { PlottedSeries, Point } from '../../support/plots/plot.ts';
import type { Cost } from './cost-of.ts';

/** The measurement at one rate. */
export interface Rate extends Cost {
  /** A second. */
  due: number;
  report: LoadReport;
}

export function latencyPlot(given: readonly Rate[]): NamedPlot {
  const rates = given.toSorted((a, b) => a.due - b.due);
  const latency = (share: number): PlottedSeries => ({
    name: `p${share * 100}`,
    // Whole milliseconds are counted; none is below one that can be drawn.
    points: rates.map(({ due, report }): Point => [due, Math.max(1, quantile(report.latencies, share))]),
  });
  return {
    name: 'receiving-latency',
    alt: 'How long a webhook waits for its acknowledgment, by how many come',
    plot: {
      title: 'Acknowledgment, one ingress process',
      subtitle: 'open loop: from when the request was due; sender, broker and ingress on the same machine',
      x: { title: 'webhooks a second' },
      y: { title: 'ms', log: true },
      series: [0.5, 0.99, 0.999].map(latency),
    },
  };
}
