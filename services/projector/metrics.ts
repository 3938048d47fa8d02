import { Counter, Histogram, type Metrics } from '#lib/telemetry';

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
  };
}
