import { type DeliveryCount, deliveryCounts, eventStatuses, maxPayloadText } from '#lib/contract';
import { delivery } from './deliveries.ts';
import { erasure } from './erasures.ts';
import { eventFilterQuery } from './event-filters.ts';
import { eventMatch, receipt } from './explained-events.ts';
import {
  answer,
  component,
  operationsOf,
  page,
  pageQuery,
  parameter,
  requiredParameter,
  resource,
  waitQuery,
} from './operation.ts';
import * as t from './schema.ts';
import { tags } from './tags.ts';

const operation = operationsOf('Events');

/** Columns of `events` that clients see, in this order. */
export const eventFields = {
  id: t.id('evt'),
  type: t.text,
  source_id: t.saying('`api`: published through the API; `hookline`: events about Hookline itself', t.text),
  event_id: t.saying('identifier given by the sender or publisher', t.nullable(t.text)),
  receipt_id: t.id('rcp'),
  status: t.oneOf(eventStatuses),
  received_at: t.time,
  updated_at: t.saying('unique per tenant, and increasing in the order in which changes become visible', t.time),
  duplicates: t.count,
  duplicates_changed: t.saying('duplicates with a different body', t.count),
};

const shownFields = {
  ...eventFields,
  tags: t.saying(
    'texts by which the event is found, by name: from `tags_from` of its source, or from its publisher',
    t.map(t.text),
  ),
  deliveries: t.saying(
    'number of deliveries by status; only the latest delivery per endpoint counts',
    t.object(
      Object.fromEntries(deliveryCounts.map((name) => [name, t.count])) as Record<DeliveryCount, typeof t.count>,
    ),
  ),
};

/** All that is left of an event that was erased. */
const erasedEvent = component(
  'ErasedEvent',
  t.object({
    id: eventFields.id,
    status: t.oneOf(['erased']),
    received_at: t.time,
    updated_at: eventFields.updated_at,
  }),
);

export type ErasedEvent = t.Static<typeof erasedEvent.schema>;

const event = component('Event', t.object(shownFields));

export type Event = t.Static<typeof event.schema>;

const eventWithPayload = component(
  'EventWithPayload',
  t.object(shownFields, {
    ordering_key: t.saying('events of one source with the same key are delivered in order', t.nullable(t.text)),
    trace_id: t.saying('the trace that the event belongs to', t.nullable(t.text)),
    payload: t.saying(
      'the payload, if it is JSON and still stored; decoded if it has a Content-Encoding',
      t.unknownValue,
    ),
    payload_undecoded: t.saying(
      'why a payload with a Content-Encoding could not be decoded; in place of `payload`',
      t.oneOf(['unsupported', 'too_large', 'malformed']),
    ),
  }),
);

export type EventWithPayload = t.Static<typeof eventWithPayload.schema>;

const eventRequest = component(
  'EventRequest',
  t.object({
    method: t.nullable(t.text),
    path: t.saying('with the query; values of parameters that may be secrets are `***`', t.nullable(t.text)),
    client_address: t.saying('address of the sender, or the one that a trusted proxy reported', t.nullable(t.text)),
    headers: t.saying(
      'names as the sender wrote them, in their order, repeated ones each by itself; signatures and other possible secrets are `***`',
      t.nullable(t.list(t.object({ name: t.text, value: t.text }))),
    ),
    truncated: t.saying(
      'the path is longer than 2,048 characters, or there were more headers than 8 KiB: the rest is not kept',
      t.flag,
    ),
  }),
);

export type EventRequest = t.Static<typeof eventRequest.schema>;

const publishedEvent = component('PublishedEvent', t.object({ id: t.id('evt') }));

const eventSearch = component(
  'EventSearch',
  t.object({
    matched: t.saying('newest first', t.list(event.ref)),
    scanned: t.saying('payloads that the filter was evaluated for', t.count),
    unjudged: t.saying(
      'events whose payload could not be searched: it has been removed, is too large or too deep, or takes the filter too many steps',
      t.object({ payload_removed: t.count, payload: t.count, filter_steps: t.count }),
    ),
    complete: t.saying('whether all older events have been looked at', t.flag),
    cursor: t.saying('cursor for the next older events; null if `complete`', t.nullable(t.id('evt'))),
  }),
);

export type EventSearch = t.Static<typeof eventSearch.schema>;

/** The type of a published event: narrower than a sender's, and no pattern of an endpoint's. Every name of an event type is one. */
const publishedType = t.textOf({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?! )(?:[^\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Z}*]| (?! |$))*$',
  description: 'one line without asterisks, and without a blank at an end or two in a row, such as order.paid',
});

/** A publisher's own name for something: part of record keys and headers, and of rows. */
const publishersKey = t.textOf({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$',
  description: 'text of one line',
});

export const publishEvent = operation('POST', '/v1/events', {
  summary: 'Publish an event',
  description: `The event can be read at once, and is delivered like any other event. The payload is delivered exactly as written in the request, as \`application/json\`, at most ${maxPayloadText} (a body with a \`Content-Encoding\` is 415), with the type in the header \`Hookline-Event-Type\`. If the \`event_id\` was published within the last 72 hours, the response has the id of the first event. Events with the same \`ordering_key\` keep their order. \`tags\` (five at most, values up to 128 bytes) are texts by which the event is found. A payload that does not match the newest schema of its event type is 400 if the type has \`enforce: reject\`, and is accepted with the tag \`schema:mismatch\` if it has \`enforce: tag\`; one that could not be checked is accepted with the tag \`schema:unjudged\` if the type has \`enforce: tag\`; with \`enforce: reject\` it is 503, or 422 where the schema itself takes more than its limit. Needs the scope \`publish\`.`,
  access: {
    scope: 'publish',
    audit: { none: 'an event is data, which says itself when it came and by which source' },
  },
  body: t.closedObject(
    // Any JSON.
    { type: publishedType, payload: t.unknownValue },
    { event_id: publishersKey, ordering_key: publishersKey, tags },
  ),
  example: { type: 'order.paid', payload: { id: 'ord_1' }, tags: { customer: 'c_1' } },
  answers: { 202: answer(publishedEvent, 'The event is accepted', 'Location') },
  errors: ['schema_unusable'],
});

/** A search goes by the time of receipt: it has all filters but the position in the order of changes. */
const { updated_at_gte, ...searchFilters } = eventFilterQuery;

export const listEvents = operation('GET', '/v1/events', {
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
      t.textIn(['asc', 'desc']),
      '`desc`: newest first by receipt; not together with `cursor`, `updated_at_gte` and `wait`. Default: `asc`, by change',
    ),
    page: parameter(t.textOf({ maxLength: 256 }), 'from `Link`, with `order=desc`'),
  },
  answers: {
    200: {
      is: 'A page of events',
      body: t.list(t.either(event.ref, erasedEvent.ref)),
      headers: ['Link', 'ETag', 'Hookline-Cursor', 'X-Poll-Interval'],
    },
    204: { is: 'No event changed in this time', headers: ['Hookline-Cursor', 'X-Poll-Interval'] },
    304: { is: 'The response would be the one that `If-None-Match` names', headers: ['ETag'] },
  },
  errors: ['cursor_expired'],
});

export const searchEvents = operation('GET', '/v1/events/search', {
  summary: 'Search the payloads of the newest events',
  description:
    'Reads payloads from the newest on: at most 64 MiB and 2 seconds, and ends at `limit` matches. Unless `complete`, older events have not been looked at: continue with `cursor`. A tenant has one search at a time.',
  query: {
    filter: requiredParameter(t.textOf({ maxLength: 16_384 }), 'a filter as endpoints have it, as JSON'),
    ...searchFilters,
    limit: pageQuery.limit,
    cursor: parameter(pageQuery.cursor.schema, 'the `cursor` of an earlier answer'),
  },
  answers: { 200: answer(eventSearch, 'Matching events, newest first') },
});

export const getEvent = operation('GET', '/v1/events/:id', {
  summary: 'Read an event with its payload',
  access: { capability: 'view' },
  answers: {
    200: { is: 'The event, or what is left of it', body: t.either(eventWithPayload.ref, erasedEvent.ref) },
  },
});

export const eraseEvent = operation('DELETE', '/v1/events/:id', {
  summary: 'Erase an event',
  description:
    'What the event held is gone from the database at once, its open deliveries are cancelled, and every poller is told. The receipt says until when Kafka keeps bytes. Erasing it again answers with the same receipt.',
  access: { scope: 'admin', audit: 'event.erase' },
  answers: { 202: answer(erasure, 'The erasure', 'Location') },
});

export const getEventPayload = operation('GET', '/v1/events/:id/payload', {
  summary: 'Read the exact bytes of an event’s payload',
  access: { capability: 'view' },
  answers: {
    200: {
      is: 'The payload, with its own Content-Type and Content-Encoding',
      body: t.unknownValue,
      contentType: '*/*',
    },
  },
  errors: ['gone'],
});

export const getEventRequest = operation('GET', '/v1/events/:id/request', {
  summary: 'Read the request that an event’s webhook came with',
  description:
    'Method, path, headers and client address (null for portal sessions, which see no header that tells an address either) of the first arrival, kept as long as the payload. All fields are null, and `truncated` is false, where the request is unknown: the event was published through the API, is about Hookline itself, or was received before Hookline kept requests.',
  access: { capability: 'view' },
  answers: { 200: answer(eventRequest, 'The request') },
  errors: ['gone'],
});

export const listEventDeliveries = operation('GET', '/v1/events/:id/deliveries', {
  summary: 'List the deliveries of an event',
  access: { capability: 'view' },
  query: pageQuery,
  answers: { 200: page(delivery, 'One delivery per endpoint and replay') },
});

export const listEventReceipts = operation('GET', '/v1/events/:id/receipts', {
  summary: 'List the arrivals of an event, its duplicates included, oldest first',
  query: pageQuery,
  answers: { 200: page(receipt, 'Arrivals of the event') },
  errors: ['gone'],
});

export const listEventMatching = operation('GET', '/v1/events/:id/matching', {
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
  operations: {
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
  },
});
