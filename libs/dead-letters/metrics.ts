import type { MetricTable } from '#lib/telemetry';

export const deadLetterMetrics = {
  burials: {
    kind: 'counter',
    name: 'hookline_dead_letters_kept_total',
    help: 'Dead letters by storage: `whole`: complete, on the topic; `shortened`: cut, on the topic, because Kafka refused the complete record; `in_postgres`: complete, in Postgres, because Kafka refused the cut record too',
    unit: 'dead letters',
    labels: { as: ['whole', 'shortened', 'in_postgres'] },
  },
} satisfies MetricTable;
