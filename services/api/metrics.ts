import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';

export const apiMetrics = {
  requestSeconds: {
    kind: 'histogram',
    name: 'hookline_api_request_seconds',
    help: 'From a request’s headers to the end of its answer',
    unit: 'seconds',
    labels: {
      route: 'the pattern (`/v1/sources/:id`), `unknown` where there is none',
      method: 'the methods that there are',
      status: 'the statuses that are answered',
    },
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    exemplars: true,
  },
  longpollWaiting: {
    kind: 'gauge',
    name: 'hookline_longpoll_waiting',
    help: 'Requests for events that may be held until there are some: those that look, and those that wait',
    unit: 'requests',
  },
  longpollWakeupSeconds: {
    kind: 'histogram',
    name: 'hookline_longpoll_wakeup_seconds',
    help: 'From the notice of a change to the answer of a request that it was held for, the reading between them included',
    unit: 'seconds',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  },
  idempotencyRequests: {
    kind: 'counter',
    name: 'hookline_idempotency_requests_total',
    help: 'Requests with an Idempotency-Key: `fresh` (carried out and kept), `replayed`, `conflict` (409, another in progress), `mismatch` (422, another request’s key), `lease_lost` (a process stood still past its lock)',
    unit: 'requests',
    labels: { outcome: ['fresh', 'replayed', 'conflict', 'mismatch', 'lease_lost'] },
  },
  publishedTogether: {
    kind: 'histogram',
    name: 'hookline_published_together_requests',
    help: 'Requests of POST /v1/events that one transaction has carried out: what came from a tenant while its last one was under way',
    unit: 'requests',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  outboxUnpublished: {
    kind: 'gauge',
    name: 'hookline_outbox_unpublished',
    help: 'Events that POST /v1/events has taken and that are not on their topic yet, of all processes',
    unit: 'events',
  },
  outboxOldest: {
    kind: 'gauge',
    name: 'hookline_outbox_oldest_seconds',
    help: 'How long the oldest of them has waited; 0 where there is none',
    unit: 'seconds',
  },
} satisfies MetricTable;

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

export const createApiMetrics = (registry: Metrics) => registerMetrics(apiMetrics, registry);
