/**
 * Counts that the outcomes of deliveries add to the statistics:
 *
 *   an attempt without success, in a step that its delivery had not come to ──► failed
 *   a delivery that has just ended ──► delivered, dead_lettered, or neither where it was cancelled
 *
 * Deliveries that the statement has not advanced are not looked at: their outcomes come again, or too late. An attempt counts by the step that its
 * delivery was at before; of one whose only outcome advanced it, that is known to be lower (`countsByStep`).
 */
import { isFinal, type StepRecord } from '#lib/contract';
import type { CountedSeries } from '#lib/event-store';
import { formatMicros } from '#lib/runtime';
import { keyOf } from '../facts.ts';
import type { AdvancedEvent } from '../statements/outcomes.ts';
import { minuteOf } from './minute-counts.ts';

export interface CountedOutcome {
  endpointId: string;
  outcome: string;
  minute: string;
  series: DeliverySeries;
}

export const deliverySeries = ['delivered', 'failed', 'dead_lettered'] as const satisfies CountedSeries[];
type DeliverySeries = (typeof deliverySeries)[number];

/** The outcomes of a batch by delivery, in order. */
export type OutcomesOfDeliveries = ReadonlyMap<string, readonly StepRecord[]>;

const unsent = 'unsent';
const unknownStep = -1;

const isFailure = (record: StepRecord): boolean => record.kind === 'attempted' && record.outcome !== 'delivered';

/** Whether the step that the delivery was at before decides what of its outcomes is counted. */
export const countsByStep = (outcomes: readonly StepRecord[]): boolean =>
  outcomes.some(isFailure) && (outcomes.length > 1 || outcomes.some(({ status }) => isFinal(status)));

export const countOutcomes = (
  { tenant, deliveries }: AdvancedEvent,
  outcomes: OutcomesOfDeliveries,
): CountedOutcome[] =>
  deliveries.split('\n').flatMap((delivery) => {
    const [id = '', stepBefore] = delivery.split('\t');
    return countedOf(outcomes.get(keyOf(tenant, id)) ?? [], Number(stepBefore ?? unknownStep));
  });

/** As they would be counted one after the other: what comes after the end, or in a step that was reached before, counts no more. */
function countedOf(outcomes: readonly StepRecord[], stepBefore: number): CountedOutcome[] {
  const counted: CountedOutcome[] = [];
  let reached = stepBefore;
  for (const record of outcomes) {
    if (isFailure(record) && record.step > reached) counted.push(countedOutcome(record, 'failed'));
    reached = Math.max(reached, record.step);
    if (!isFinal(record.status)) continue;
    const end = endOf(record);
    if (end !== undefined) counted.push(countedOutcome(record, end));
    break;
  }
  return counted;
}

function endOf({ status }: StepRecord): DeliverySeries | undefined {
  return status === 'delivered' || status === 'dead_lettered' ? status : undefined;
}

const countedOutcome = (record: StepRecord, series: DeliverySeries): CountedOutcome => ({
  endpointId: record.endpoint_id,
  outcome: record.kind === 'attempted' ? record.outcome : unsent,
  minute: minuteOf(formatMicros(record.at)),
  series,
});
