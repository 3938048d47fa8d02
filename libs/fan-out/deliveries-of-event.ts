import {
  type Delivery,
  deliveryHeaders,
  type EventRecord,
  passedHeaders,
  type PassHeaders,
  trailOf,
} from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { derivedId } from '#lib/runtime';

/** Generation 0: the event's first fan-out; each replay has its own generation. */
const generation = 0;

/** A function of event and endpoint, so every fan-out gives the same id. */
export const deliveryIdOf = (event: Pick<EventRecord, 'id' | 'received_at'>, endpointId: string): string =>
  derivedId('dlv', Math.floor(event.received_at / 1_000), [event.id, endpointId, String(generation)]);

interface Circumstances {
  /** Microseconds since the epoch. */
  createdAt: number;
  traceparent: string | undefined;
  /** The endpoint's rules. */
  passHeaders?: PassHeaders | undefined;
}

export const deliveryOf = (
  event: EventRecord,
  endpointId: string,
  { createdAt, traceparent = '', passHeaders }: Circumstances,
): Delivery => ({
  id: deliveryIdOf(event, endpointId),
  tenant: event.tenant,
  eventId: event.id,
  eventType: event.type,
  endpointId,
  generation,
  createdAt,
  receivedAt: event.received_at,
  orderingKey: event.ordering_key,
  contentType: event.content_type,
  contentEncoding: event.content_encoding,
  passedHeaders: passedHeaders(passHeaders, event.request),
  trail: trailOf(event),
  traceparent,
  payload: event.payload,
});

/** @param topic `deliveries`, with its prefix */
export const recordOfDelivery = (topic: string, delivery: Delivery): OutgoingRecord => ({
  topic,
  key: delivery.endpointId,
  value: delivery.payload,
  headers: deliveryHeaders(delivery),
});
