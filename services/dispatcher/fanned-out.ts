import type { AttemptRecord } from '#lib/contract';

/** The deliveries of an event that a fan-out, or a replay, adds in one generation. */
export type DeliverySet = Pick<AttemptRecord, 'tenant' | 'event_id' | 'generation' | 'at' | 'deliveries'>;

export const fannedOut = (set: DeliverySet): AttemptRecord => ({
  kind: 'fanned_out',
  ...set,
  delivery_id: null,
  endpoint_id: null,
  step: null,
  attempt: null,
  status: null,
  created_at: null,
  outcome: null,
  http_status: null,
  duration_ms: null,
  detail: null,
  response_excerpt: null,
  next_attempt_at: null,
  ordering_key: null,
  request: null,
  response_headers: null,
  timing: null,
});
