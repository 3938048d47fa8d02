import type { MetricTable } from './metric-table.ts';

export const dependencyMetrics = {
  up: {
    kind: 'gauge',
    name: 'hookline_dependency_up',
    help: 'Whether it answered when this process last asked: 1, or 0. Kafka and Postgres are asked every half a minute at least, Redis every ten seconds',
    unit: 'boolean',
    labels: { dependency: '`kafka`, `postgres`, `redis`: those that the service has' },
  },
} satisfies MetricTable;
