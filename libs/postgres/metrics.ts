import type pg from 'pg';
import type { AppError } from '#lib/runtime';
import { dependencyMetrics, type Metrics, type MetricTable, registerMetrics, whenRead } from '#lib/telemetry';
import { isAway } from './errors.ts';

const pool = 'connection pool, by its name in `pg_stat_activity`';

export const postgresMetrics = {
  querySeconds: {
    kind: 'histogram',
    name: 'hookline_postgres_query_seconds',
    help: 'Duration of a statement, including the wait for a connection if it is outside a transaction',
    unit: 'seconds',
    labels: { pool },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  errors: {
    kind: 'counter',
    name: 'hookline_postgres_errors_total',
    help: 'Failed statements and connections: `store_unavailable`: retried; `data_invalid`: the data is at fault; `bug`: Hookline is at fault',
    unit: 'statements',
    labels: { pool, code: '`store_unavailable`, `data_invalid`, `bug`' },
  },
  connections: {
    kind: 'gauge',
    name: 'hookline_postgres_connections',
    help: 'Open connections of the pool',
    unit: 'connections',
    labels: { pool, state: ['in_use', 'idle'] },
  },
  maxConnections: {
    kind: 'gauge',
    name: 'hookline_postgres_connections_max',
    help: 'Maximum number of connections of the pool',
    unit: 'connections',
    labels: { pool },
  },
  waiting: {
    kind: 'gauge',
    name: 'hookline_postgres_waiting',
    help: 'Callers waiting for a connection of the pool',
    unit: 'callers',
    labels: { pool },
  },
} satisfies MetricTable;

export interface PoolMeter {
  /** A statement begins. @returns what is to be told how it ended: the error, if it failed */
  begin(): (error?: AppError) => void;
  /** No connection was to be had. */
  failed(error: AppError): void;
}

const none: PoolMeter = { begin: () => () => undefined, failed: () => undefined };

export function measurePool(registry: Metrics | undefined, pool: pg.Pool, name: string): PoolMeter {
  if (registry === undefined) return none;
  const metrics = registerMetrics(postgresMetrics, registry);
  const { up } = registerMetrics(dependencyMetrics, registry);
  const answered = (yes: boolean): void => up.set({ dependency: 'postgres' }, yes ? 1 : 0);
  whenRead(metrics.connections, (gauge) => {
    gauge.set({ pool: name, state: 'in_use' }, pool.totalCount - pool.idleCount);
    gauge.set({ pool: name, state: 'idle' }, pool.idleCount);
  });
  whenRead(metrics.waiting, (gauge) => gauge.set({ pool: name }, pool.waitingCount));
  metrics.maxConnections.set({ pool: name }, pool.options.max);
  for (const code of ['store_unavailable', 'data_invalid', 'bug']) metrics.errors.inc({ pool: name, code }, 0);

  const failed = (error: AppError): void => {
    metrics.errors.inc({ pool: name, code: error.code });
    answered(!isAway(error));
  };
  return {
    begin() {
      const observeSeconds = metrics.querySeconds.startTimer({ pool: name });
      return (error) => {
        observeSeconds();
        if (error === undefined) answered(true);
        else failed(error);
      };
    },
    failed,
  };
}
