/**
 * Metrics as tables: each process says in one place what it measures, and docs/metrics.md is written from the same tables.
 *
 * Counters whose labels have known values begin at 0 for each of them: a rate over a series that begins at 1 misses the first.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface MetricDefinition {
  kind: 'counter' | 'gauge' | 'histogram';
  /** Prometheus’s conventions: base units, `_total` at the end of a counter. */
  name: `hookline_${string}`;
  help: string;
  /** The unit; of a counter or a gauge, the thing that is counted. */
  unit: string;
  /** By name: all possible values, or a description of what limits their number. */
  labels?: Readonly<Record<string, readonly string[] | string>>;
  /** Upper bounds, of a histogram. */
  buckets?: readonly number[];
  /** For a histogram: recorded by `observe`, with the trace that was measured. */
  exemplars?: true;
}

/** By the name that the code has for it. */
export type MetricTable = Readonly<Record<string, MetricDefinition>>;

type LabelsOf<D> = D extends { labels: infer L } ? keyof L & string : never;

type MetricOf<D> = D extends { kind: 'counter' }
  ? Counter<LabelsOf<D>>
  : D extends { kind: 'gauge' }
    ? Gauge<LabelsOf<D>>
    : Histogram<LabelsOf<D>>;

export type MetricsOf<T extends MetricTable> = { readonly [K in keyof T]: MetricOf<T[K]> };

/** An existing metric is shared: a process may have several producers, consumers and pools. */
export function registerMetrics<const T extends MetricTable>(table: T, registry: Registry): MetricsOf<T> {
  const metrics = Object.entries(table).map(([key, definition]) => [
    key,
    registry.getSingleMetric(definition.name) ?? createMetric(definition, registry),
  ]);
  return Object.fromEntries(metrics) as MetricsOf<T>;
}

/** Calls `set` before each reading of the metric, after earlier callbacks. It must not throw. */
export function whenRead<M extends Gauge | Counter>(metric: M, set: (metric: M) => void): void {
  const readable = metric as { collect?: () => void };
  const before = readable.collect;
  readable.collect = () => {
    before?.();
    set(metric);
  };
}

function createMetric(
  { kind, name, help, labels = {}, buckets = [], exemplars }: MetricDefinition,
  registry: Registry,
) {
  const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (kind === 'histogram') {
    // prom-client's registries support either exemplars or the plain format. It checks only when the metric is created: see
    // open-metrics.ts.
    const enableExemplars = exemplars === true;
    const histogram = new Histogram({ ...options, registers: [], buckets: [...buckets], enableExemplars });
    registry.registerMetric(histogram);
    return histogram;
  }
  if (kind === 'gauge') return new Gauge(options);
  const counter = new Counter(options);
  if (options.labelNames.length > 0) for (const series of knownSeries(labels)) counter.inc(series, 0);
  return counter;
}

/** Every combination of the labels' values; empty if one of them can have any value. */
function knownSeries(labels: NonNullable<MetricDefinition['labels']>): Record<string, string>[] {
  let series: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === 'string') return [];
    series = series.flatMap((each) => values.map((value) => ({ ...each, [label]: value })));
  }
  return series;
}
