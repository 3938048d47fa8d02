import { Counter, Gauge, Histogram, type Metrics } from '#lib/telemetry';

export type ProjectorMetrics = ReturnType<typeof createProjectorMetrics>;

export function createProjectorMetrics(metrics: Metrics) {
  const registers = [metrics];
  return {
    records: new Counter({
      name: 'hookline_projector_records_total',
      help: 'Records by topic and what became of them: projected, malformed_record, data_invalid',
      labelNames: ['topic', 'outcome'] as const,
      registers,
    }),
    transactionSeconds: new Histogram({
      name: 'hookline_projector_transaction_seconds',
      help: 'From the first statement of a batch to its commit, the wait for the tenants’ clocks included',
      buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    }),
    deadLetters: new Counter({
      name: 'hookline_dead_letters_total',
      help: 'Dead letters written, by stage and reason',
      labelNames: ['stage', 'reason'] as const,
      registers,
    }),
    retentionPartitions: new Counter({
      name: 'hookline_retention_partitions_dropped_total',
      help: 'Days of payloads or attempts that were dropped',
      labelNames: ['table'] as const,
      registers,
    }),
    retentionRows: new Counter({
      name: 'hookline_retention_rows_removed_total',
      help: 'Rows that were past their time and removed one by one; `events` counts events, not what went with them',
      labelNames: ['table'] as const,
      registers,
    }),
    retentionKept: new Gauge({
      name: 'hookline_retention_rows_kept',
      help: 'Payloads and attempts that are past their time, but needed by deliveries that are open',
      labelNames: ['table'] as const,
      registers,
    }),
    retentionFailures: new Counter({
      name: 'hookline_retention_failures_total',
      help: 'Steps of a round that failed; they are tried again a minute later',
      labelNames: ['step'] as const,
      registers,
    }),
  };
}
