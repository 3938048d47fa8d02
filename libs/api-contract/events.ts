import { type DeliveryCount, deliveryCounts, eventStatuses, maxPayloadText } from '#lib/contract';
import { delivery } from './deliveries.ts';
import { erasure } from './erasures.ts';
import { eventFilterQuery } from './event-filters.ts';
import { eventMatch, receipt } from './explained-events.ts';
import { component, operation, page, parameter, requiredParameter, resource } from './operation.ts';
import { pageQuery, waitQuery } from './paging.ts';
import {
  closedObject,
  count,
  either,
  flag,
  id,
  list,
  map,
  nullable,
  object,
  oneOf,
  saying,
  type Static,
  text,
  textIn,
  textOf,
  time,
  unknownValue,
} from './schema.ts';
import { tags } from './tags.ts';

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
};

const shownFields = {
  ...eventFields,
  tags: saying(
    'texts by which the event is found, by name: from `tags_from` of its source, or from its publisher',
    map(text),
  ),
  deliveries: saying(
    'number of deliveries by status; only the latest delivery per endpoint counts',
    object(Object.fromEntries(deliveryCounts.map((name) => [name, count])) as Record<DeliveryCount, typeof count>),
  ),
};

/** All that is left of an event that was erased. */
const erasedEvent = component(
  'ErasedEvent',
  object({
    id: eventFields.id,
    status: oneOf(['erased']),
    received_at: time,
    updated_at: eventFields.updated_at,
  }),
);

export type ErasedEvent = Static<typeof erasedEvent.schema>;

const event = component('Event', object(shownFields));

export type Event = Static<typeof event.schema>;

const eventWithPayload = component(
  'EventWithPayload',
  object(shownFields, {
    ordering_key: saying('events of one source with the same key are delivered in order', nullable(text)),
    trace_id: saying('the trace that the event belongs to', nullable(text)),
    payload: saying('the payload, if it is JSON and still stored; decoded if it has a Content-Encoding', unknownValue),
    payload_undecoded: saying(
      'why a payload with a Content-Encoding could not be decoded; in place of `payload`',
      oneOf(['unsupported', 'too_large', 'malformed']),
    ),
  }),
);

export type EventWithPayload = Static<typeof eventWithPayload.schema>;

const eventRequest = component(
  'EventRequest',
  object({
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
);

export type EventRequest = Static<typeof eventRequest.schema>;

const publishedEvent = component('PublishedEvent', object({ id: id('evt') }));

const eventSearch = component(
  'EventSearch',
  object({
    matched: saying('newest first', list(event.ref)),
    scanned: saying('payloads that the filter was evaluated for', count),
    unjudged: saying(
      'events whose payload could not be searched: it has been removed, is too large or too deep, or takes the filter too many steps',
      object({ payload_removed: count, payload: count, filter_steps: count }),
    ),
    complete: saying('whether all older events have been looked at', flag),
    cursor: saying('cursor for the next older events; null if `complete`', nullable(id('evt'))),
  }),
);

export type EventSearch = Static<typeof eventSearch.schema>;

/** The type of a published event: narrower than a sender's, and no pattern of an endpoint's. Every name of an event type is one. */
const publishedType = textOf({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?! )(?:[^\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Z}*]| (?! |$))*$',
  description: 'one line without asterisks, and without a blank at an end or two in a row, such as order.paid',
});

/** A publisher's own name for something: part of record keys and headers, and of rows. */
const publishersKey = textOf({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$',
  description: 'text of one line',
});

export const publishEvent = operation({
  method: 'POST',
  path: '/v1/events',
  tag: 'Events',
  id: 'publishEvent',
  summary: 'Publish an event',
  description: `The event can be read at once, and is delivered like any other event. The payload is delivered exactly as written in the request, as \`application/json\`, at most ${maxPayloadText} (a body with a \`Content-Encoding\` is 415), with the type in the header \`Hookline-Event-Type\`. If the \`event_id\` was published within the last 72 hours, the response has the id of the first event. Events with the same \`ordering_key\` keep their order. \`tags\` (five at most, values up to 128 bytes) are texts by which the event is found. A payload that does not match the newest schema of its event type is 400 if the type has \`enforce: reject\`, and is accepted with the tag \`schema:mismatch\` if it has \`enforce: tag\`; one that could not be checked is accepted with the tag \`schema:unjudged\` if the type has \`enforce: tag\`; with \`enforce: reject\` it is 503, or 422 where the schema itself takes more than its limit. Needs the scope \`publish\`.`,
  access: {
    scope: 'publish',
    audit: { none: 'an event is data, which says itself when it came and by which source' },
  },
  body: closedObject(
    // Any JSON.
    { type: publishedType, payload: unknownValue },
    { event_id: publishersKey, ordering_key: publishersKey, tags },
  ),
  example: { type: 'order.paid', payload: { id: 'ord_1' }, tags: { customer: 'c_1' } },
  answers: { 202: { is: 'The event is accepted', body: publishedEvent.ref, headers: ['Location'] } },
  errors: ['schema_unusable'],
});

/** A search goes by the time of receipt: it has all filters but the position in the order of changes. */
const { updated_at_gte, ...searchFilters } = eventFilterQuery;

export const listEvents = operation({
  method: 'GET',
  path: '/v1/events',
  tag: 'Events',
  id: 'listEvents',
  summary: 'List events in order of their last change; optionally wait for changes',
  description:
    'Continue with the last `Hookline-Cursor` or the last `updated_at`, and you miss no change. With `wait`, the response is held until there are events, or the time is over. With `order=desc`, the newest events come first, by their receipt: follow `Link` to older and newer ones. A page may be shorter than its limit, even empty, while there is a next one. Every page has the `Hookline-Cursor` of the moment of the first: changes since then follow it. An event that was erased is in the answer whatever the filter, but for `order=desc`.',
  access: { capability: 'view' },
  query: {
    updated_at_gte,
    cursor: parameter(
      pageQuery.cursor.schema,
      '`Hookline-Cursor` of an earlier response: events changed after it. Not together with `updated_at_gte`',
    ),
    ...searchFilters,
    limit: parameter(
      pageQuery.limit.schema,
      'page size, 1 to 1000; default 100. At least 2 with `updated_at_gte`: a page of one would not advance',
    ),
    ...waitQuery,
    order: parameter(
      textIn(['asc', 'desc']),
      '`desc`: newest first by receipt; not together with `cursor`, `updated_at_gte` and `wait`. Default: `asc`, by change',
    ),
    page: parameter(textOf({ maxLength: 256 }), 'from `Link`, with `order=desc`'),
  },
  answers: {
    200: {
      is: 'A page of events',
      body: list(either(event.ref, erasedEvent.ref)),
      headers: ['Link', 'ETag', 'Hookline-Cursor', 'X-Poll-Interval'],
    },
    204: { is: 'No event changed in this time', headers: ['Hookline-Cursor', 'X-Poll-Interval'] },
    304: { is: 'The response would be the one that `If-None-Match` names', headers: ['ETag'] },
  },
  errors: ['cursor_expired'],
});

export const searchEvents = operation({
  method: 'GET',
  path: '/v1/events/search',
  tag: 'Events',
  id: 'searchEvents',
  summary: 'Search the payloads of the newest events',
  description:
    'Reads payloads from the newest on: at most 64 MiB and 2 seconds, and ends at `limit` matches. Unless `complete`, older events have not been looked at: continue with `cursor`. A tenant has one search at a time.',
  query: {
    filter: requiredParameter(textOf({ maxLength: 16_384 }), 'a filter as endpoints have it, as JSON'),
    ...searchFilters,
    limit: pageQuery.limit,
    cursor: parameter(pageQuery.cursor.schema, 'the `cursor` of an earlier answer'),
  },
  answers: { 200: { is: 'Matching events, newest first', body: eventSearch.ref } },
});

export const getEvent = operation({
  method: 'GET',
  path: '/v1/events/:id',
  tag: 'Events',
  id: 'getEvent',
  summary: 'Read an event with its payload',
  access: { capability: 'view' },
  answers: {
    200: { is: 'The event, or what is left of it', body: either(eventWithPayload.ref, erasedEvent.ref) },
  },
});

export const eraseEvent = operation({
  method: 'DELETE',
  path: '/v1/events/:id',
  tag: 'Events',
  id: 'eraseEvent',
  summary: 'Erase an event',
  description:
    'What the event held is gone from the database at once, its open deliveries are cancelled, and every poller is told. The receipt says until when Kafka keeps bytes. Erasing it again answers with the same receipt.',
  access: { scope: 'admin', audit: 'event.erase' },
  answers: { 202: { is: 'The erasure', body: erasure.ref, headers: ['Location'] } },
});

export const getEventPayload = operation({
  method: 'GET',
  path: '/v1/events/:id/payload',
  tag: 'Events',
  id: 'getEventPayload',
  summary: 'Read the exact bytes of an event’s payload',
  access: { capability: 'view' },
  answers: {
    200: { is: 'The payload, with its own Content-Type and Content-Encoding', body: unknownValue, contentType: '*/*' },
  },
  errors: ['gone'],
});

export const getEventRequest = operation({
  method: 'GET',
  path: '/v1/events/:id/request',
  tag: 'Events',
  id: 'getEventRequest',
  summary: 'Read the request that an event’s webhook came with',
  description:
    'Method, path, headers and client address (null for portal sessions, which see no header that tells an address either) of the first arrival, kept as long as the payload. All fields are null, and `truncated` is false, where the request is unknown: the event was published through the API, is about Hookline itself, or was received before Hookline kept requests.',
  access: { capability: 'view' },
  answers: { 200: { is: 'The request', body: eventRequest.ref } },
  errors: ['gone'],
});

export const listEventDeliveries = operation({
  method: 'GET',
  path: '/v1/events/:id/deliveries',
  tag: 'Events',
  id: 'listEventDeliveries',
  summary: 'List the deliveries of an event',
  access: { capability: 'view' },
  query: pageQuery,
  answers: { 200: page(delivery, 'One delivery per endpoint and replay') },
});

export const listEventReceipts = operation({
  method: 'GET',
  path: '/v1/events/:id/receipts',
  tag: 'Events',
  id: 'listEventReceipts',
  summary: 'List the arrivals of an event, its duplicates included, oldest first',
  query: pageQuery,
  answers: { 200: page(receipt, 'Arrivals of the event') },
  errors: ['gone'],
});

export const listEventMatching = operation({
  method: 'GET',
  path: '/v1/events/:id/matching',
  tag: 'Events',
  id: 'listEventMatching',
  summary: 'List the endpoints of the tenant, and why each got an event or did not',
  description:
    'Evaluated as fan-out did it, by the settings at the time of receipt: a change of an endpoint counts for events received at its `effective_at`, two seconds after it, or later. Endpoints that are deleted are listed for 30 days.',
  query: pageQuery,
  answers: { 200: page(eventMatch, 'Endpoints in the order of their ids') },
  errors: ['gone'],
});

export const events = resource({
  tag: 'Events',
  description: 'Events that were received or published, with their status.',
  components: [erasedEvent, event, eventWithPayload, eventRequest, publishedEvent, receipt, eventSearch, eventMatch],
  operations: [
    publishEvent,
    listEvents,
    searchEvents,
    getEvent,
    eraseEvent,
    getEventPayload,
    getEventRequest,
    listEventDeliveries,
    listEventReceipts,
    listEventMatching,
  ],
});
