import { deliveryCounts, eventStatuses } from '#lib/contract';
import type { eventColumns } from '#lib/event-store';
import type { DocumentedResource } from '../operation.ts';
import {
  count,
  flag,
  id,
  list,
  map,
  nullable,
  object,
  oneOf,
  type Schema,
  saying,
  text,
  time,
} from '#lib/api-contract';
import { explainedEvents } from './explained-events.ts';

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

/** All that is left of an event that was erased. */
const erasedEvent = object({
  id: eventFields.id,
  status: oneOf(['erased']),
  received_at: time,
  updated_at: eventFields.updated_at,
});

const event = object({
  ...eventFields,
  tags: saying(
    'texts by which the event is found, by name: from `tags_from` of its source, or from its publisher',
    map(text),
  ),
  deliveries: saying('number of deliveries by status; only the latest delivery per endpoint counts', deliveries),
});

export const documentedEvents: DocumentedResource = {
  tag: 'Events',
  description: 'Events that were received or published, with their status.',
  schemas: {
    ErasedEvent: erasedEvent,
    Event: event,
    EventWithPayload: {
      ...event,
      properties: {
        ...(event['properties'] as object),
        ordering_key: saying('events of one source with the same key are delivered in order', nullable(text)),
        trace_id: saying('the trace that the event belongs to', nullable(text)),
        payload: saying('the payload, if it is JSON and still stored; decoded if it has a Content-Encoding', {}),
        payload_undecoded: saying(
          'why a payload with a Content-Encoding could not be decoded; in place of `payload`',
          oneOf(['unsupported', 'too_large', 'malformed']),
        ),
      },
    },
    EventRequest: object({
      method: nullable(text),
      path: saying('with the query; values of parameters that may be secrets are `***`', nullable(text)),
      client_address: saying('address of the sender, or the one that a trusted proxy reported', nullable(text)),
      headers: saying(
        'names as the sender wrote them, in their order, repeated ones each by itself; signatures and other possible secrets are `***`',
        nullable(list(object({ name: text, value: text }))),
      ),
      truncated: saying(
        'the path is longer than 2,048 characters, or there were more headers than 8 KiB: the rest is not kept',
        flag,
      ),
    }),
    PublishedEvent: object({ id: id('evt') }),
    ...explainedEvents,
  },
};
