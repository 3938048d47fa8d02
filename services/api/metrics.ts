import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';

export const apiMetrics = {
  requestSeconds: {
    kind: 'histogram',
    name: 'hookline_api_request_seconds',
    help: 'Request duration, from the headers to the end of the response',
    unit: 'seconds',
    labels: {
      route: 'route pattern (`/v1/sources/:id`), or `unknown`',
      method: 'HTTP method',
      status: 'HTTP status',
    },
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    exemplars: true,
  },
  longpollWaiting: {
    kind: 'gauge',
    name: 'hookline_longpoll_waiting',
    help: 'Open long polls: requests that read events or wait for new ones',
    unit: 'requests',
  },
  longpollWakeupSeconds: {
    kind: 'histogram',
    name: 'hookline_longpoll_wakeup_seconds',
    help: 'Time from the notification of a change to the response of a long poll, including the read',
    unit: 'seconds',
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  },
  idempotencyRequests: {
    kind: 'counter',
    name: 'hookline_idempotency_requests_total',
    help: 'Requests with an Idempotency-Key by outcome: `fresh`: executed and stored; `replayed`; `conflict`: 409, a request with the key is in progress; `mismatch`: 422, the key was used with a different request; `lease_lost`: the request outlived its lease',
    unit: 'requests',
    labels: { outcome: ['fresh', 'replayed', 'conflict', 'mismatch', 'lease_lost'] },
  },
  publishedTogether: {
    kind: 'histogram',
    name: 'hookline_published_together_requests',
    help: 'Requests of POST /v1/events per transaction: requests that arrive while a transaction of the tenant is running share the next one',
    unit: 'requests',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
  },
  outboxUnpublished: {
    kind: 'gauge',
    name: 'hookline_outbox_unpublished',
    help: 'Events accepted by POST /v1/events that are not on their topic yet, all processes together',
    unit: 'events',
  },
  outboxOldest: {
    kind: 'gauge',
    name: 'hookline_outbox_oldest_seconds',
    help: 'Age of the oldest unpublished event; 0 if there is none',
    unit: 'seconds',
  },
} satisfies MetricTable;

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

export const createApiMetrics = (registry: Metrics) => registerMetrics(apiMetrics, registry);
