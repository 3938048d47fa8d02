import type { AttemptRecord } from '#lib/contract';

type SetFacts = Pick<AttemptRecord, 'tenant' | 'event_id' | 'generation' | 'at' | 'deliveries' | 'chunk'>;

/** The record of a set of deliveries, or of one chunk of it. */
export const fannedOut = (set: SetFacts): AttemptRecord => ({
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
