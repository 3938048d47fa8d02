import type { DeadLetterStage } from '#lib/contract';
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

/** The counter of a service's dead letters: each service has stages and reasons of its own. */
export const deadLetterCounter = <const Reason extends string>(
  help: string,
  labels: { stage: readonly DeadLetterStage[]; reason: readonly Reason[] },
) => ({ kind: 'counter', name: 'hookline_dead_letters_total', help, unit: 'dead letters', labels }) as const;

export type DeadLetterCounter = ReturnType<typeof deadLetterCounter>;
