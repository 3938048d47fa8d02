import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import type { deliveryColumns, lastAttemptColumns } from '#lib/event-store';
import type { DocumentedResource } from '../operation.ts';
import { count, id, map, nullable, number, object, oneOf, type Schema, saying, text, time } from '#lib/api-contract';

const ms = nullable(number);

/** The last attempt of a delivery. */
export const lastAttemptFields = {
  last_outcome: saying(
    'of the last attempt; null: none yet, or it was before this was recorded',
    nullable({ type: 'string', enum: [...attemptOutcomes, null] }),
  ),
  last_http_status: saying('of the last attempt; null as well if there was no response', nullable({ type: 'integer' })),
  last_detail: saying('of the last attempt', nullable(text)),
} satisfies Record<keyof typeof lastAttemptColumns, Schema>;

/** Fields of a delivery that come from its event. */
const eventFields = {
  event_type: saying('of the event; null if it was erased', nullable(text)),
};

/** Fields of a delivery that clients see, in this order: columns of `deliveries`, and `eventFields`. */
export const deliveryFields = {
  id: id('dlv'),
  event_id: id('evt'),
  ...eventFields,
  endpoint_id: text,
  generation: saying('replay generation: 0, then one more per replay', count),
  status: oneOf(deliveryStatuses),
  attempts: count,
  next_attempt_at: nullable(time),
  detail: nullable(text),
  ...lastAttemptFields,
  created_at: time,
  updated_at: time,
} satisfies Partial<Record<keyof typeof deliveryColumns | keyof typeof eventFields, Schema>>;

export const documentedDeliveries: DocumentedResource = {
  tag: 'Deliveries',
  description: 'A delivery is one event for one endpoint.',
  schemas: {
    Delivery: object(deliveryFields),
    Attempt: object({
      attempt: count,
      at: time,
      outcome: oneOf(attemptOutcomes),
      http_status: nullable({ type: 'integer' }),
      duration_ms: ms,
      detail: nullable(text),
      request: saying(
        'as it was sent; its body is the event’s payload. Null where nothing was. A portal session sees Hookline’s own headers alone',
        nullable(object({ method: text, url: text, headers: map(text) })),
      ),
      response_headers: nullable(map(text)),
      response_excerpt: saying('the first 8 kB of the response body', nullable(text)),
      response_excerpt_encoding: oneOf(['text', 'base64']),
      timing: saying(
        'null for phases that did not happen',
        nullable(object({ dns_ms: ms, connect_ms: ms, tls_ms: ms, first_byte_ms: ms, body_ms: ms })),
      ),
    }),
  },
};
