import { saying, type Schema, text } from '#lib/api-contract';
import { type OperationalEventType, operationalEventTypes } from '#lib/contract';
import type { DocumentedOperation } from '../describe-operation.ts';
import { payloadSchema, whenPublished } from './operational-payloads.ts';

/** OpenAPI's Operation Object of a webhook. */
export type DeliveryOperation = Omit<DocumentedOperation, 'tags'>;

/** One kind of request that an endpoint gets. */
interface Delivery extends Pick<DeliveryOperation, 'operationId' | 'summary' | 'description'> {
  payload: Schema;
}

const header = (name: string, description: string, required = true): object => ({
  name,
  in: 'header',
  required,
  description,
  schema: text,
});

/** The headers of docs/receiving-events.md that a receiver may rely on. */
const headers = [
  header('webhook-id', 'the id of the event, `evt_…`: the same on every attempt and every replay'),
  header('webhook-timestamp', 'when this attempt was sent, in Unix seconds'),
  header(
    'webhook-signature',
    '`v1,<base64>` by the secret, `v1a,<base64>` by a key pair if the endpoint has one; several, separated by spaces, while the secret is being changed',
  ),
  header('Hookline-Signature', '`t=<unix seconds>,v1=<hex>`: the same signature in the older form', false),
  header('Hookline-Event-Type', 'the type of the event; other characters than printable ASCII are percent-encoded'),
  header('Hookline-Attempt', '1 for the first attempt of a delivery, then 2, 3, …'),
  header(
    'Hookline-Trail',
    'the sources that the event has passed, signed: send it on where the event goes to a source of the same Hookline, which ends loops by it',
    false,
  ),
  header('traceparent', 'the W3C trace context of the event', false),
];

const responses = {
  '2XX': { description: 'The delivery is done' },
  '410': { description: 'The endpoint is disabled at once, and what waits for it becomes dead letters' },
  '429': { description: 'The event is sent again, not before the time of `Retry-After`' },
  '503': { description: 'The event is sent again, not before the time of `Retry-After`' },
  default: {
    description: 'The event is sent again for 72 hours, then it is a dead letter. Redirects are not followed',
  },
};

/** The body is not only JSON: an event that came from a provider is delivered byte for byte, with its own `Content-Type`. */
const deliveryOperation = ({ payload, ...named }: Delivery): DeliveryOperation => ({
  ...named,
  security: [],
  parameters: headers,
  requestBody: { required: true, content: { 'application/json': { schema: payload } } },
  responses,
});

/** `endpoint.disabling_soon` as `EndpointDisablingSoon`. */
const camelCased = (name: string): string =>
  name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The requests that endpoints get, as OpenAPI's `webhooks`: any event, and the operational ones. The types of a tenant have a document of their own:
 * `GET /v1/event-types/export`.
 */
export const webhooks: Readonly<Record<string, { post: DeliveryOperation }>> = {
  event: {
    post: deliveryOperation({
      operationId: 'receiveEvent',
      summary: 'An event that was accepted or published',
      description:
        'The body is the payload byte for byte, with the `Content-Type` that it came with; it need not be JSON. Verify the signature over these bytes, answer 2xx, and work afterwards. The same event may come more than once, each time with the same `webhook-id`.',
      payload: saying('the payload of the event, as it came', {}),
    }),
  },
  ...Object.fromEntries(operationalEventTypes.map((type) => [type, { post: operationalEvent(type) }])),
};

function operationalEvent(type: OperationalEventType): DeliveryOperation {
  return deliveryOperation({
    operationId: `receive${camelCased(type.replace('hookline.', ''))}`,
    summary: whenPublished(type),
    description: 'For endpoints whose `event_types` name it.',
    payload: payloadSchema(type),
  });
}
