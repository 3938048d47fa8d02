import { type Metric, openMetricsContentType, type OpenMetricsContentType, Registry } from 'prom-client';

/** Whether a scraper's Accept header asks for OpenMetrics. */
export const asksForOpenMetrics = (accept: string | undefined): boolean =>
  accept !== undefined && /(?:^|[\s,])application\/openmetrics-text(?:[\s;,]|$)/.test(accept);

export interface Exposition {
  contentType: string;
  text: string;
}

/**
 * The metrics in the format that alone has exemplars. prom-client takes the `_total` off the names of counters when it writes it, for good:
 * what it is given are stand-ins that inherit everything from the metrics but the name.
 */
export async function openMetricsOf(metrics: Registry): Promise<Exposition> {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(openMetricsContentType);
  for (const metric of metrics.getMetricsAsArray()) {
    registry.registerMetric(Object.create(metric, { name: { value: metric.name, writable: true } }) as Metric);
  }
  return { contentType: openMetricsContentType, text: await registry.metrics() };
}
