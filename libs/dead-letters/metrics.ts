import { type DeadLetterStage, reasonsOfStages } from '#lib/contract';
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

/** The counter of a service's dead letters, with the stages of the service and their reasons. */
export const deadLetterCounter = (help: string, stages: readonly DeadLetterStage[]) =>
  ({
    kind: 'counter',
    name: 'hookline_dead_letters_total',
    help,
    unit: 'dead letters',
    labels: { stage: stages, reason: reasonsOfStages(stages) },
  }) as const;

export type DeadLetterCounter = ReturnType<typeof deadLetterCounter>;
