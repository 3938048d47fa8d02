export { Counter, Gauge, Histogram, Registry as Metrics } from 'prom-client';
export { createAdminServer } from './admin-server.ts';
export { dependencyMetrics } from './dependency-metrics.ts';
export { type MetricDefinition, type MetricTable, type MetricsOf, registerMetrics, whenRead } from './metric-table.ts';
export { childTraceparent, newTraceparent } from './traceparent.ts';
