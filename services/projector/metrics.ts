import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';
import { partitionedTables } from './retention/partitioned-tables.ts';

const tables = partitionedTables.map(({ name }) => name);

export const projectorMetrics = {
  records: {
    kind: 'counter',
    name: 'hookline_projector_records_total',
    help: 'Records by topic and what became of them: `projected`, `malformed_record`, `data_invalid`',
    unit: 'records',
    labels: { topic: 'our topics', outcome: '`projected`, `malformed_record`, `data_invalid`' },
  },
  transactionSeconds: {
    kind: 'histogram',
    name: 'hookline_projector_transaction_seconds',
    help: 'From when a partition’s batch is read to its commit: the wait for the transaction that it shares with others, and for the tenants’ clocks, included',
    unit: 'seconds',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
    exemplars: true,
  },
  deadLetters: {
    kind: 'counter',
    name: 'hookline_dead_letters_total',
    help: 'Records written to the dead-letter topic by the projector itself',
    unit: 'letters',
    labels: { stage: ['projector'], reason: ['malformed_record', 'data_invalid'] },
  },
  retentionPartitions: {
    kind: 'counter',
    name: 'hookline_retention_partitions_dropped_total',
    help: 'Days of payloads or attempts that were dropped',
    unit: 'partitions',
    labels: { table: tables },
  },
  retentionRows: {
    kind: 'counter',
    name: 'hookline_retention_rows_removed_total',
    help: 'Rows that were past their time and removed one by one; `events` counts events, not what went with them, `orphans` rows without an event; `sources`, `endpoints` and `api_keys` are those of which the id alone is left, `endpoint_changes` endpoints whose old changes were removed',
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
      ],
    },
  },
  retentionKept: {
    kind: 'gauge',
    name: 'hookline_retention_rows_kept',
    help: 'Payloads and attempts that are past their time, but needed by deliveries that are open',
    unit: 'rows',
    labels: { table: tables },
  },
  retentionFailures: {
    kind: 'counter',
    name: 'hookline_retention_failures_total',
    help: 'Steps of a round that failed; they are tried again a minute later',
    unit: 'steps',
    labels: { step: 'the steps of a round: `make days of attempts`, …' },
  },
  retentionSucceeded: {
    kind: 'gauge',
    name: 'hookline_retention_last_success_timestamp_seconds',
    help: 'When the last round ended in which no step failed; 0 before the first',
    unit: 'seconds since 1970',
  },
  retentionOldest: {
    kind: 'gauge',
    name: 'hookline_retention_oldest_day_seconds',
    help: 'How long ago the oldest day began that has a partition',
    unit: 'seconds',
    labels: { table: tables },
  },
  retentionAhead: {
    kind: 'gauge',
    name: 'hookline_retention_days_ahead',
    help: 'Days after today that have a partition already; seven, where all is well',
    unit: 'days',
    labels: { table: tables },
  },
  databaseBytes: {
    kind: 'gauge',
    name: 'hookline_database_bytes',
    help: 'Size of the database on the disk',
    unit: 'bytes',
  },
  databaseMaxBytes: {
    kind: 'gauge',
    name: 'hookline_database_max_bytes',
    help: 'What it may grow to: `HOOKLINE_DATABASE_MAX_BYTES`; 0 where that is not set',
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
    help: 'Age of the oldest transaction that keeps vacuum from removing rows; of other roles only where ours may see their sessions (`pg_read_all_stats`)',
    unit: 'seconds',
  },
  databaseSessions: {
    kind: 'gauge',
    name: 'hookline_database_sessions',
    help: 'Sessions of clients on the server, of all databases',
    unit: 'sessions',
  },
  databaseMaxSessions: {
    kind: 'gauge',
    name: 'hookline_database_sessions_max',
    help: 'The server’s `max_connections`',
    unit: 'sessions',
  },
  transactionAge: {
    kind: 'gauge',
    name: 'hookline_database_transaction_id_age',
    help: 'Transactions since the oldest row that is not frozen; at two thousand million the server takes no more writes',
    unit: 'transactions',
  },
} satisfies MetricTable;

export type ProjectorMetrics = ReturnType<typeof createProjectorMetrics>;

export const createProjectorMetrics = (registry: Metrics) => registerMetrics(projectorMetrics, registry);
