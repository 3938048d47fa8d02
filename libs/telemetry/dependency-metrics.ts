import type { MetricTable } from './metric-table.ts';

export const dependencyMetrics = {
  up: {
    kind: 'gauge',
    name: 'hookline_dependency_up',
    help: '1 if the dependency answered the last request or check, else 0. Kafka and Postgres are checked at least every 30 seconds, Redis every ten seconds',
    unit: 'boolean',
    labels: { dependency: '`kafka`, `postgres`, `redis`: the dependencies of the service' },
  },
} satisfies MetricTable;
