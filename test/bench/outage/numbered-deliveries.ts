/** The deliveries of one endpoint by their numbers, so that millions of them need no objects: the nth comes at its time, and says its number. */
import { type Delivery, deliveryHeaders } from '#lib/contract';
import type { IncomingRecord } from '#lib/kafka';
import { orderingKeyOf } from '../../../services/dispatcher/model/ordering.ts';
import type { EventContent } from '../../../services/dispatcher/model/event-content.ts';
import { aDelivery, never, topics } from '../../unit/dispatcher/fixtures.ts';

export interface NumberedDeliveries {
  /** In microseconds. */
  createdAt(number: number): number;
  deliveryOf(number: number): Delivery;
  contentOf(number: number): EventContent;
  recordOf(number: number, done: () => void): IncomingRecord;
  /** The number of the ordering key; 0 without keys. */
  keyOf(number: number): number;
  /** As an order names it. */
  nameOfKey(key: number): string;
}

export const deliveryId = (number: number): string => `dlv_${number}`;
export const eventIdOf = (number: number): string => `evt_${number}`;
/** The number of a delivery or an event. */
export const numberOf = (id: string): number => Number(id.slice(4));

export function createNumberedDeliveries(options: {
  startMs: number;
  perSecond: number;
  keys: number;
}): NumberedDeliveries {
  const { startMs, perSecond, keys } = options;
  const payload = Buffer.from('{"order":1}');
  const base = aDelivery();
  const keyOf = (number: number): number => (keys === 0 ? 0 : number % keys);
  const orderingKey = (number: number): string | null => (keys === 0 ? null : `key-${keyOf(number)}`);
  const names = Array.from(
    { length: keys },
    (_, key) => orderingKeyOf({ ordered: true }, { orderingKey: `key-${key}` }) ?? '',
  );
  const createdAt = (number: number): number => Math.round((startMs + (number * 1_000) / perSecond) * 1_000);

  const deliveryOf = (number: number): Delivery => ({
    ...base,
    id: deliveryId(number),
    eventId: eventIdOf(number),
    orderingKey: orderingKey(number),
    payload,
    createdAt: createdAt(number),
    receivedAt: createdAt(number),
  });

  return {
    createdAt,
    deliveryOf,
    keyOf,
    nameOfKey: (key) => names[key] ?? '',
    contentOf(number) {
      const {
        tenant,
        eventId,
        eventType: type,
        receivedAt,
        traceparent,
        contentType,
        contentEncoding,
        ...rest
      } = deliveryOf(number);
      const content = { tenant, eventId, type, receivedAt, traceparent, contentType, contentEncoding };
      return { ...content, orderingKey: rest.orderingKey, payload, request: null, trail: [] };
    },
    recordOf(number, done) {
      const delivery = deliveryOf(number);
      return {
        topic: topics.deliveries,
        partition: 0,
        offset: BigInt(number),
        key: Buffer.from(delivery.endpointId),
        value: delivery.payload,
        headers: deliveryHeaders(delivery),
        rawHeaders: {},
        signal: never,
        done,
      };
    },
  };
}
