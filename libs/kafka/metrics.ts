import { Gauge, Histogram, type Registry } from 'prom-client';

/** A process may have several producers and consumers: they share each metric, which is registered once. */
function once<T>(registry: Registry, name: string, create: () => T): T {
  return (registry.getSingleMetric(name) as T | undefined) ?? create();
}

export const produceSeconds = (registry: Registry): Histogram =>
  once(registry, 'hookline_kafka_produce_seconds', () => {
    return new Histogram({
      name: 'hookline_kafka_produce_seconds',
      help: 'One produce request for one partition, from its sending to its checked answer or failure',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
      registers: [registry],
    });
  });

export type LagLabels = 'group' | 'topic' | 'partition';

export const consumerLag = (registry: Registry): Gauge<LagLabels> =>
  once(registry, 'hookline_consumer_lag_records', () => {
    return new Gauge({
      name: 'hookline_consumer_lag_records',
      help: 'Records of an assigned partition beyond the committed offset, as the brokers say',
      labelNames: ['group', 'topic', 'partition'] as const,
      registers: [registry],
    });
  });
