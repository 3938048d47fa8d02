import { Counter, type Metrics } from '#lib/telemetry';

/** failed: a dead letter. A record that comes again after its outcome was durable has been counted, and is not again. */
const outcomes = ['first', 'duplicate', 'duplicate_changed', 'republished', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

export interface DedupMetrics {
  ended(outcome: Outcome): void;
  deadLettered(reason: string): void;
}

export function createDedupMetrics(registry: Metrics): DedupMetrics {
  const records = new Counter({
    name: 'hookline_dedup_records_total',
    help: 'Received records by what they came to',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // From 0 on: a rate over a series that begins at 1 misses the first.
  for (const outcome of outcomes) records.inc({ outcome }, 0);
  const letters = new Counter({
    name: 'hookline_dead_letters_total',
    help: 'Records written to the dead-letter topic',
    labelNames: ['stage', 'reason'],
    registers: [registry],
  });
  return {
    ended: (outcome) => records.inc({ outcome }),
    deadLettered: (reason) => letters.inc({ stage: 'dedup', reason }),
  };
}
