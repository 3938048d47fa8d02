import { deadLetterCounter } from '#lib/dead-letters';
import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import { partitionedTables } from './retention/partitioned-tables.ts';

const tables = partitionedTables.map(({ name }) => name);

export const projectorMetrics = {
  records: {
    kind: 'counter',
    name: 'hookline_projector_records_total',
    help: 'Records by topic and outcome',
    unit: 'records',
    labels: { topic: 'our topics', outcome: '`projected`, `malformed_record`, `data_invalid`' },
  },
  transactionSeconds: {
    kind: 'histogram',
    name: 'hookline_projector_transaction_seconds',
    help: 'Time from reading a batch of a partition to its commit, including the wait for the shared transaction and for the clocks of the tenants',
    unit: 'seconds',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    exemplars: true,
  },
  deadLetters: deadLetterCounter('Records that the projector wrote to the dead-letter topic', ['projector']),
  retentionPartitions: {
    kind: 'counter',
    name: 'hookline_retention_partitions_dropped_total',
    help: 'Daily partitions of payloads or attempts that were dropped',
    unit: 'partitions',
    labels: { table: tables },
  },
  retentionRows: {
    kind: 'counter',
    name: 'hookline_retention_rows_removed_total',
    help: 'Expired rows that were removed one by one. `events`: events, without counting their dependent rows; `orphans`: rows without an event; `sources`, `endpoints`, `api_keys`: reduced to their id; `endpoint_changes`: endpoints whose old changes were removed; `audit`: audit entries; `sessions`: sessions that ended; `portal_links`: portal links that ended; `stats`: counts that were added to those of an hour or a day, or are too old; `erased`, `erasures`, `tenants`: what was kept of erasures and of deleted tenants',
    unit: 'rows',
    labels: {
      table: [
        ...tables,
        'events',
        'orphans',
        'replays',
        'dead_letters',
        'sources',
        'endpoints',
        'api_keys',
        'endpoint_changes',
        'audit',
        'sessions',
        'portal_links',
        'stats',
        'erased',
        'erasures',
        'tenants',
      ],
    },
  },
  retentionKept: {
    kind: 'gauge',
    name: 'hookline_retention_rows_kept',
    help: 'Expired payloads and attempts that open deliveries still need',
    unit: 'rows',
    labels: { table: tables },
  },
  retentionFailures: {
    kind: 'counter',
    name: 'hookline_retention_failures_total',
    help: 'Failed steps of retention runs; a step is retried a minute later',
    unit: 'steps',
    labels: { step: 'the steps of a round: `make days of attempts`, …' },
  },
  retentionSucceeded: {
    kind: 'gauge',
    name: 'hookline_retention_last_success_timestamp_seconds',
    help: 'End of the last retention run without failures; 0 before the first',
    unit: 'seconds since 1970',
  },
  retentionOldest: {
    kind: 'gauge',
    name: 'hookline_retention_oldest_day_seconds',
    help: 'Age of the oldest daily partition',
    unit: 'seconds',
    labels: { table: tables },
  },
  retentionAhead: {
    kind: 'gauge',
    name: 'hookline_retention_days_ahead',
    help: 'Future days that have a partition already; normal is seven',
    unit: 'days',
    labels: { table: tables },
  },
  databaseBytes: {
    kind: 'gauge',
    name: 'hookline_database_bytes',
    help: 'Size of the database on disk',
    unit: 'bytes',
  },
  databaseMaxBytes: {
    kind: 'gauge',
    name: 'hookline_database_max_bytes',
    help: 'Disk space for the database: `HOOKLINE_DATABASE_MAX_BYTES`; 0 if that is not set',
    unit: 'bytes',
  },
  tableBytes: {
    kind: 'gauge',
    name: 'hookline_database_table_bytes',
    help: 'Size of each table with its partitions and indexes',
    unit: 'bytes',
    labels: { table: 'our tables' },
  },
  oldestSnapshot: {
    kind: 'gauge',
    name: 'hookline_database_oldest_snapshot_seconds',
    help: 'Age of the oldest transaction that keeps vacuum from removing rows; transactions of other roles count only with the privilege `pg_read_all_stats`',
    unit: 'seconds',
  },
  databaseSessions: {
    kind: 'gauge',
    name: 'hookline_database_sessions',
    help: 'Client sessions on the server, all databases together',
    unit: 'sessions',
  },
  databaseMaxSessions: {
    kind: 'gauge',
    name: 'hookline_database_sessions_max',
    help: '`max_connections` of the server',
    unit: 'sessions',
  },
  transactionAge: {
    kind: 'gauge',
    name: 'hookline_database_transaction_id_age',
    help: 'Age of the oldest unfrozen row in transactions; at 2 billion the server accepts no more writes',
    unit: 'transactions',
  },
} satisfies MetricTable;

export type ProjectorMetrics = ReturnType<typeof createProjectorMetrics>;

export const createProjectorMetrics = (registry: Metrics) => registerMetrics(projectorMetrics, registry);
