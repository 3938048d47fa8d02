import { eventStatuses } from '#lib/contract';
import type { DocumentedResource } from '../operation.ts';
import { count, id, nullable, object, oneOf, saying, text, time } from '../schema.ts';

const deliveries = object({
  pending: count,
  retrying: count,
  delivered: count,
  dead_lettered: count,
  cancelled: count,
});

const event = object({
  id: id('evt'),
  type: text,
  source_id: saying('`api` for what was published here, `hookline` for events about Hookline itself', text),
  event_id: saying('the sender’s or publisher’s own identifier', nullable(text)),
  receipt_id: id('rcp'),
  status: oneOf(eventStatuses),
  received_at: time,
  updated_at: saying('unique in a tenant, in the order in which changes became visible', time),
  duplicates: count,
  duplicates_changed: saying('those of them with another body', count),
  deliveries: saying('by status, of each endpoint the newest', deliveries),
});

export const documentedEvents: DocumentedResource = {
  tag: 'Events',
  description: 'What was received or published, and what has become of it.',
  schemas: {
    Event: event,
    EventWithPayload: {
      ...event,
      properties: {
        ...(event['properties'] as object),
        payload: saying('where it is JSON, decoded where it has a Content-Encoding, and kept still', {}),
        payload_undecoded: saying(
          'in the place of a payload that has a Content-Encoding: why it is not decoded',
          oneOf(['unsupported', 'too_large', 'malformed']),
        ),
      },
    },
    PublishedEvent: object({ id: id('evt') }),
  },
};
