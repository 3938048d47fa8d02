import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import { dateTime, filterText } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, parameter, resource, schemasOf } from './operation.ts';
import { bulkFields, byFilter, replay } from './replays.ts';
import * as t from './schema.ts';

const operation = operationsOf('Deliveries');

const ms = t.nullable(t.number);

/** The last attempt of a delivery. */
export const lastAttemptFields = {
  last_outcome: t.saying(
    'of the last attempt; null: none yet, or it was before this was recorded',
    t.nullableTextIn(attemptOutcomes),
  ),
  last_http_status: t.saying('of the last attempt; null as well if there was no response', t.nullable(t.integer)),
  last_detail: t.saying('of the last attempt', t.nullable(t.text)),
};

export const delivery = component(
  'Delivery',
  t.object({
    id: t.id('dlv'),
    event_id: t.id('evt'),
    event_type: t.saying('of the event; null if it was erased', t.nullable(t.text)),
    endpoint_id: t.text,
    generation: t.saying('replay generation: 0, then one more per replay', t.count),
    status: t.oneOf(deliveryStatuses),
    attempts: t.count,
    next_attempt_at: t.nullable(t.time),
    detail: t.nullable(t.text),
    ...lastAttemptFields,
    created_at: t.time,
    updated_at: t.time,
  }),
);

export type Delivery = t.Static<typeof delivery.schema>;

export const attempt = component(
  'Attempt',
  t.object({
    attempt: t.count,
    at: t.time,
    outcome: t.oneOf(attemptOutcomes),
    http_status: t.nullable(t.integer),
    duration_ms: ms,
    detail: t.nullable(t.text),
    request: t.saying(
      'as it was sent; its body is the event’s payload. Null where nothing was. A portal session sees Hookline’s own headers alone',
      t.nullable(t.object({ method: t.text, url: t.text, headers: t.map(t.text) })),
    ),
    response_headers: t.nullable(t.map(t.text)),
    response_excerpt: t.saying('the first 8 kB of the response body', t.nullable(t.text)),
    response_excerpt_encoding: t.oneOf(['text', 'base64']),
    timing: t.saying(
      'null for phases that did not happen',
      t.nullable(t.object({ dns_ms: ms, connect_ms: ms, tls_ms: ms, first_byte_ms: ms, body_ms: ms })),
    ),
  }),
);

export type Attempt = t.Static<typeof attempt.schema>;

/** The filters of `GET /v1/deliveries`. */
export const deliveryFilterQuery = {
  endpoint_id: parameter(filterText),
  status: parameter(t.textIn(deliveryStatuses)),
  event_type: parameter(filterText),
  outcome: parameter(t.textIn(attemptOutcomes), 'outcome of the last attempt'),
  http_status: parameter(
    t.textOf({ maxLength: 3, pattern: '^[1-9][0-9]{2}$', description: 'an HTTP status such as 503' }),
    'HTTP status of the last attempt',
  ),
  since: parameter(dateTime, 'RFC 3339: deliveries created at or after this time'),
  until: parameter(dateTime, 'RFC 3339: deliveries created before this time'),
};

export const listDeliveries = operation('GET', '/v1/deliveries', {
  summary: 'List deliveries, newest first',
  description:
    'In the order of the times in their ids: when the event was received, or the replay was created. A page may be shorter than its limit, even empty, while `Link` has a next one.',
  access: { capability: 'view' },
  query: {
    ...deliveryFilterQuery,
    order: parameter(t.textIn(['asc', 'desc']), '`asc`: oldest first. Default: `desc`'),
    ...pageQuery,
  },
  answers: { 200: page(delivery, 'Deliveries that match') },
});

export const getDelivery = operation('GET', '/v1/deliveries/:id', {
  summary: 'Read a delivery',
  access: { capability: 'view' },
  answers: { 200: answer(delivery, 'The delivery and its status') },
});

export const listDeliveryAttempts = operation('GET', '/v1/deliveries/:id/attempts', {
  summary: 'List the attempts of a delivery, oldest first',
  access: { capability: 'view' },
  query: pageQuery,
  answers: { 200: page(attempt, 'Attempts with their outcomes') },
});

export const retryDelivery = operation('POST', '/v1/deliveries/:id/retry', {
  summary: 'Retry a delivery now; if it is dead-lettered, replay its dead letter',
  access: { capability: 'replay', audit: 'delivery.retry' },
  body: t.closedObject({}),
  answers: { 202: { is: 'The delivery, or the replay', body: t.either(delivery.ref, replay.ref) } },
  errors: ['conflict', 'limit_reached'],
});

export const cancelDelivery = operation('POST', '/v1/deliveries/:id/cancel', {
  summary: 'Cancel an open delivery; an attempt in flight can still succeed',
  access: { audit: 'delivery.cancel' },
  body: t.closedObject({}),
  answers: {
    200: answer(delivery, 'The delivery is cancelled'),
    202: answer(delivery, 'The delivery will be cancelled within seconds'),
  },
  errors: ['conflict'],
});

const selected = t.optionalFields({
  filter: t.optionalFields(schemasOf(deliveryFilterQuery)),
  all: t.flag,
  ...bulkFields,
});

export const retryDeliveries = operation('POST', '/v1/deliveries/retry', {
  summary: 'Retry the deliveries that match a filter: waiting ones are sent now, dead-lettered ones are replayed',
  access: { dryRunScope: 'read', capability: 'replay', audit: 'deliveries.retry' },
  body: selected,
  example: { filter: { status: 'dead_lettered' }, dry_run: true },
  ...byFilter,
});

export const cancelDeliveries = operation('POST', '/v1/deliveries/cancel', {
  summary: 'Cancel the open deliveries that match a filter',
  access: { dryRunScope: 'read', audit: 'deliveries.cancel' },
  body: selected,
  example: { all: true, dry_run: true },
  ...byFilter,
});

export const deliveries = resource({
  tag: 'Deliveries',
  description: 'A delivery is one event for one endpoint.',
  components: [delivery, attempt],
  operations: {
    listDeliveries,
    getDelivery,
    listDeliveryAttempts,
    retryDelivery,
    cancelDelivery,
    retryDeliveries,
    cancelDeliveries,
  },
});
