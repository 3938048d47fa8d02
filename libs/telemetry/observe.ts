import type { Histogram } from 'prom-client';
import type { Exemplar } from './tracer.ts';

/** Measures by a histogram that has `exemplars` in its table: the last of each bucket leads to its trace. */
export function observe<L extends string>(
  histogram: Histogram<L>,
  value: number,
  { labels, exemplar }: { labels?: Partial<Record<L, string | number>>; exemplar?: Exemplar | undefined } = {},
): void {
  // By prom-client's types an exemplar has the metric's own labels, which is what it never has.
  histogram.observe({
    value,
    ...(labels && { labels }),
    ...(exemplar && { exemplarLabels: { ...exemplar } as object }),
  });
}
