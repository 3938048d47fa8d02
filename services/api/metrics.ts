import { Histogram, type Metrics } from '#lib/telemetry';

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

export function createApiMetrics(metrics: Metrics) {
  return {
    requestSeconds: new Histogram({
      name: 'hookline_api_request_seconds',
      help: 'From a request’s headers to the end of its answer, by the route’s pattern (`unknown` where there is none)',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers: [metrics],
    }),
  };
}
