import { deadLetterCounter } from '#lib/dead-letters';
import { type Metrics, type MetricTable, registerMetrics } from '#lib/telemetry';

const outcomes = ['first', 'duplicate', 'duplicate_changed', 'republished', 'failed', 'erased'] as const;
export type Outcome = (typeof outcomes)[number];

export const dedupMetrics = {
  records: {
    kind: 'counter',
    name: 'hookline_dedup_records_total',
    help: 'Received records by outcome; `failed`: dead-lettered; `erased`: of an erased event or a deleted tenant. A redelivery after the outcome is durable is not counted',
    unit: 'records',
    labels: { outcome: outcomes },
  },
  deadLetters: deadLetterCounter(
    'Records written to the dead-letter topic: `malformed_record` at once, `data_invalid` after three tries',
    ['dedup'],
  ),
} satisfies MetricTable;

export interface DedupMetrics {
  ended(outcome: Outcome): void;
}

export function createDedupMetrics(registry: Metrics): DedupMetrics {
  const { records } = registerMetrics(dedupMetrics, registry);
  return { ended: (outcome) => records.inc({ outcome }) };
}
