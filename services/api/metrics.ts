import { Counter, Gauge, Histogram, type Metrics } from '#lib/telemetry';

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
    longpollWaiting: new Gauge({
      name: 'hookline_longpoll_waiting',
      help: 'Requests for events that may be held until there are some: those that look, and those that wait',
      registers: [metrics],
    }),
    longpollWakeupSeconds: new Histogram({
      name: 'hookline_longpoll_wakeup_seconds',
      help: 'From the notice of a change to the answer of a request that it was held for, the reading between them included',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers: [metrics],
    }),
    idempotencyRequests: new Counter({
      name: 'hookline_idempotency_requests_total',
      help: 'Requests with an Idempotency-Key: fresh (carried out and kept), replayed, conflict (another in progress), mismatch (another request’s key), lease_lost',
      labelNames: ['outcome'] as const,
      registers: [metrics],
    }),
  };
}
