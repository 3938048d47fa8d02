export const deadLetterStages = ['dedup', 'fan-out', 'dispatcher', 'projector'] as const;
export type DeadLetterStage = (typeof deadLetterStages)[number];

interface ReasonFacts {
  stages: readonly DeadLetterStage[];
  /** `endpoint`: its owner has to act. `record`: the record or Hookline is at fault. */
  fault: 'endpoint' | 'record';
}

/**
 * Why a record or delivery ends as a dead letter: the labels of hookline_dead_letters_total, and what the alerts on it select
 * (`npm run docs:write` writes them there). docs/runbook.md explains each reason.
 */
const reasons = {
  malformed_record: { stages: ['dedup', 'fan-out', 'dispatcher', 'projector'], fault: 'record' },
  undecodable_batch: { stages: ['dedup', 'fan-out', 'dispatcher', 'projector'], fault: 'record' },
  data_invalid: { stages: ['dedup', 'projector'], fault: 'record' },
  retries_exhausted: { stages: ['dispatcher'], fault: 'endpoint' },
  endpoint_gone: { stages: ['dispatcher'], fault: 'endpoint' },
  endpoint_disabled: { stages: ['dispatcher'], fault: 'endpoint' },
  endpoint_unknown: { stages: ['dispatcher'], fault: 'record' },
  event_unavailable: { stages: ['dispatcher'], fault: 'record' },
  refused_by_kafka: { stages: ['fan-out', 'dispatcher'], fault: 'record' },
} as const satisfies Record<string, ReasonFacts>;

export type DeadLetterReason = keyof typeof reasons;

export const deadLetterReasons: Readonly<Record<DeadLetterReason, ReasonFacts>> = reasons;

/** The reasons that these stages give, in the order of the table. */
export const reasonsOfStages = (stages: readonly DeadLetterStage[]): DeadLetterReason[] =>
  (Object.keys(reasons) as DeadLetterReason[]).filter((reason) =>
    deadLetterReasons[reason].stages.some((stage) => stages.includes(stage)),
  );
