export { Counter, Gauge, Histogram, Registry as Metrics } from 'prom-client';
export { createAdminServer } from './admin-server.ts';
export { childTraceparent, newTraceparent } from './traceparent.ts';
