import { deliveryCounts, eventStatuses } from '#lib/contract';
import type { eventColumns } from '#lib/event-store';
import type { DocumentedResource } from '../operation.ts';
import { count, id, nullable, object, oneOf, type Schema, saying, text, time } from '../schema.ts';

const deliveries = object(Object.fromEntries(deliveryCounts.map((name) => [name, count])));

/** Columns of `events` that clients see, in this order. */
export const eventFields = {
  id: id('evt'),
  type: text,
  source_id: saying('`api`: published through the API; `hookline`: events about Hookline itself', text),
  event_id: saying('identifier given by the sender or publisher', nullable(text)),
  receipt_id: id('rcp'),
  status: oneOf(eventStatuses),
  received_at: time,
  updated_at: saying('unique per tenant, and increasing in the order in which changes become visible', time),
  duplicates: count,
  duplicates_changed: saying('duplicates with a different body', count),
} satisfies Partial<Record<keyof typeof eventColumns, Schema>>;

const event = object({
  ...eventFields,
  deliveries: saying('number of deliveries by status; only the latest delivery per endpoint counts', deliveries),
});

export const documentedEvents: DocumentedResource = {
  tag: 'Events',
  description: 'Events that were received or published, with their status.',
  schemas: {
    Event: event,
    EventWithPayload: {
      ...event,
      properties: {
        ...(event['properties'] as object),
        payload: saying('where it is JSON, decoded where it has a Content-Encoding, and kept still', {}),
        payload_undecoded: saying(
          'why a payload with a Content-Encoding could not be decoded; in place of `payload`',
          oneOf(['unsupported', 'too_large', 'malformed']),
        ),
      },
    },
    PublishedEvent: object({ id: id('evt') }),
  },
};
