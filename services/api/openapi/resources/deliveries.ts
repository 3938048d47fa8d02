import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import { type DocumentedResource, page, ref } from '../operation.ts';
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
  operations: {
    'GET /v1/deliveries/:id': {
      id: 'getDelivery',
      summary: 'Read a delivery',
      answers: { 200: { is: 'Where it stands', body: 'Delivery' } },
    },
    'GET /v1/deliveries/:id/attempts': {
      id: 'listDeliveryAttempts',
      summary: 'List the attempts of a delivery, the first first',
      answers: { 200: page('Attempt', 'Each send, and what came of it') },
    },
    'POST /v1/deliveries/:id/retry': {
      id: 'retryDelivery',
      summary: 'Send a delivery now; of one that is dead-lettered, replay the letter',
      answers: {
        202: { is: 'The delivery, or the replay', body: { anyOf: [ref('Delivery'), ref('Replay')] } },
      },
      errors: ['conflict', 'limit_reached'],
    },
    'POST /v1/deliveries/:id/cancel': {
      id: 'cancelDelivery',
      summary: 'End a delivery that is open, unless the send that is under way is taken',
      answers: {
        200: { is: 'It is cancelled', body: 'Delivery' },
        202: { is: 'It will be, within seconds', body: 'Delivery' },
      },
      errors: ['conflict'],
    },
  },
};
