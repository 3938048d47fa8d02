import type { AttemptRecord, DeliveryStatus } from '#lib/contract';
import type { Job } from '../model/job.ts';

/** The fields of a delivery in any record of `delivery.attempts`; the caller adds what happened. */
export function recordOf({
  delivery,
  order,
  step,
  attempts,
}: Pick<Job, 'delivery' | 'order' | 'step' | 'attempts'>): Omit<AttemptRecord, 'kind' | 'at'> & {
  status: DeliveryStatus | null;
} {
  return {
    tenant: delivery.tenant,
    event_id: delivery.eventId,
    generation: delivery.generation,
    deliveries: [],
    delivery_id: delivery.id,
    endpoint_id: delivery.endpointId,
    step,
    attempt: attempts,
    status: null,
    created_at: delivery.createdAt,
    outcome: null,
    http_status: null,
    duration_ms: null,
    detail: null,
    response_excerpt: null,
    next_attempt_at: null,
    ordering_key: order === undefined ? null : delivery.orderingKey,
    request: null,
    response_headers: null,
    timing: null,
    chunk: null,
  };
}
