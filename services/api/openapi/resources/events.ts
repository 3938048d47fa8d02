import { eventStatuses } from '#lib/contract';
import { type DocumentedResource, page, ref } from '../operation.ts';
import { count, id, list, nullable, object, oneOf, saying, text, time } from '../schema.ts';

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
  operations: {
    'POST /v1/events': {
      id: 'publishEvent',
      summary: 'Publish an event of one’s own',
      description:
        'It is readable at once, and goes the way of every event. The payload is delivered as it is written in the request, as `application/json`, 1 MiB at most (a body under a `Content-Encoding` is 415); the type is in the header `Hookline-Event-Type`. An `event_id` that was published before is answered with the id of the first event, for 72 hours; events of one `ordering_key` keep their order. Needs the scope `publish`.',
      answers: { 202: { is: 'It is taken', body: 'PublishedEvent', headers: ['Location'] } },
    },
    'GET /v1/events': {
      id: 'listEvents',
      summary: 'List events in the order of their last change, and wait for the next',
      description:
        'Ask again with the last `Hookline-Cursor`, or the last `updated_at`, and no change is missed. With `wait` the request is held until there is something, or the time is up.',
      parameters: {
        updated_at_gte: 'RFC 3339: what has changed then or later',
        cursor: 'the `Hookline-Cursor` of an answer: what has changed after it. Not with `updated_at_gte`',
        receipt_id: 'the event that a webhook’s receipt led to, a duplicate’s too',
        limit: 'from 2 to 1000; default 100',
        wait: 'seconds, 60 at most; `Prefer: wait=N` is the same',
      },
      answers: {
        200: {
          is: 'A page of events',
          body: list(ref('Event')),
          headers: ['Link', 'ETag', 'Hookline-Cursor', 'X-Poll-Interval'],
        },
        204: { is: 'Nothing has changed in the time', headers: ['Hookline-Cursor', 'X-Poll-Interval'] },
        304: { is: 'The answer would be what `If-None-Match` names', headers: ['ETag'] },
      },
      errors: ['cursor_expired'],
    },
    'GET /v1/events/:id': {
      id: 'getEvent',
      summary: 'Read an event with its payload',
      answers: { 200: { is: 'The event', body: 'EventWithPayload' } },
    },
    'GET /v1/events/:id/payload': {
      id: 'getEventPayload',
      summary: 'Read an event’s payload: the exact bytes',
      answers: {
        200: { is: 'The payload, under its own Content-Type and Content-Encoding', body: {}, contentType: '*/*' },
      },
      errors: ['gone'],
    },
    'GET /v1/events/:id/deliveries': {
      id: 'listEventDeliveries',
      summary: 'List where an event went',
      answers: { 200: page('Delivery', 'A delivery for each endpoint, and for each replay') },
    },
    'POST /v1/events/:id/replay': {
      id: 'replayEvent',
      summary: 'Send an event again, to all that get such events today, or to one endpoint',
      answers: { 202: { is: 'The replay that does so', body: 'Replay', headers: ['Location'] } },
      errors: ['conflict', 'limit_reached'],
    },
  },
};
