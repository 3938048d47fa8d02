import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import type { DocumentedResource } from '../operation.ts';
import { count, id, map, nullable, number, object, oneOf, saying, text, time } from '../schema.ts';

const ms = nullable(number);

export const documentedDeliveries: DocumentedResource = {
  tag: 'Deliveries',
  description: 'One event on its way to one endpoint.',
  schemas: {
    Delivery: object({
      id: id('dlv'),
      event_id: id('evt'),
      endpoint_id: text,
      generation: saying('0, and one more for each replay', count),
      status: oneOf(deliveryStatuses),
      attempts: count,
      next_attempt_at: nullable(time),
      detail: nullable(text),
      created_at: time,
      updated_at: time,
    }),
    Attempt: object({
      attempt: count,
      at: time,
      outcome: oneOf(attemptOutcomes),
      http_status: nullable({ type: 'integer' }),
      duration_ms: ms,
      detail: nullable(text),
      request: saying(
        'as it was sent; its body is the event’s payload. Null where nothing was',
        nullable(object({ method: text, url: text, headers: map(text) })),
      ),
      response_headers: nullable(map(text)),
      response_excerpt: saying('the first 8 kB of the answer’s body', nullable(text)),
      response_excerpt_encoding: oneOf(['text', 'base64']),
      timing: saying(
        'null for a phase that did not take place',
        nullable(object({ dns_ms: ms, connect_ms: ms, tls_ms: ms, first_byte_ms: ms, body_ms: ms })),
      ),
    }),
  },
};
