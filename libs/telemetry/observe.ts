import type { Histogram } from 'prom-client';
import type { Exemplar } from './tracer.ts';

/** Observes a histogram with `exemplars` in its table: the last value of each bucket links to its trace. */
export function observe<L extends string>(
  histogram: Histogram<L>,
  value: number,
  { labels, exemplar }: { labels?: Partial<Record<L, string | number>>; exemplar?: Exemplar | undefined } = {},
): void {
  // prom-client's types require the metric's own labels in an exemplar, which it never has.
  histogram.observe({
    value,
    ...(labels && { labels }),
    ...(exemplar && { exemplarLabels: { ...exemplar } as object }),
  });
}
