import type { MetricTable } from '#lib/telemetry';

export const deadLetterMetrics = {
  burials: {
    kind: 'counter',
    name: 'hookline_dead_letters_kept_total',
    help: 'Dead letters by how they are kept: `whole` on the topic; `shortened` there, because Kafka refused it whole; `in_postgres`, whole, because Kafka refused it shortened too',
    unit: 'letters',
    labels: { as: ['whole', 'shortened', 'in_postgres'] },
  },
} satisfies MetricTable;
