import { type OperationalEventType, operationalEventTypes } from '#lib/contract';
import { anyPayload, type DeliveryOperation, deliveryOperation } from './delivery.ts';
import { payloadSchema, whenPublished } from './operational-payloads.ts';

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
      payload: anyPayload,
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
