import type { StepFields } from '#lib/contract';
import type { Job } from '../model/job.ts';

/** The fields of a delivery in any record of one of its steps; the caller adds what happened. */
export const stepOf = ({
  delivery,
  order,
  step,
  attempts,
}: Pick<Job, 'delivery' | 'order' | 'step' | 'attempts'>): Omit<StepFields, 'at' | 'status'> => ({
  tenant: delivery.tenant,
  event_id: delivery.eventId,
  generation: delivery.generation,
  delivery_id: delivery.id,
  endpoint_id: delivery.endpointId,
  step,
  attempt: attempts,
  created_at: delivery.createdAt,
  detail: null,
  next_attempt_at: null,
  ordering_key: order === undefined ? null : delivery.orderingKey,
});
