import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';

export const consoleMetrics = {
  requests: {
    kind: 'counter',
    name: 'hookline_console_requests_total',
    help: 'Requests by route and status',
    unit: 'requests',
    labels: { route: 'route pattern (`/t/:tenant/endpoints`), or `unknown`', status: 'HTTP status' },
  },
  requestSeconds: {
    kind: 'histogram',
    name: 'hookline_console_request_seconds',
    help: 'Request duration, from the headers to the end of the response',
    unit: 'seconds',
    labels: { route: 'route pattern (`/t/:tenant/endpoints`), or `unknown`' },
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    exemplars: true,
  },
  apiCallSeconds: {
    kind: 'histogram',
    name: 'hookline_console_api_call_seconds',
    help: 'Duration of the calls to the API by outcome; `none`: no answer in time, or no connection',
    unit: 'seconds',
    labels: { outcome: '`2xx`, `4xx`, `5xx`, or `none`' },
    buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  },
  signIns: {
    kind: 'counter',
    name: 'hookline_console_sign_ins_total',
    help: 'Attempts to sign in by outcome: `signed_in`; `refused`: the key or code is wrong, or must not make sessions; `limited`: 429, too many from one address; `failed`: the API did not answer',
    unit: 'attempts',
    labels: { outcome: ['signed_in', 'refused', 'limited', 'failed'] },
  },
} satisfies MetricTable;

export type ConsoleMetrics = ReturnType<typeof createConsoleMetrics>;

export const createConsoleMetrics = (registry: Metrics) => registerMetrics(consoleMetrics, registry);
