import { attemptOutcomes, deliveryStatuses } from '#lib/contract';
import { deliveryFilterQuery } from './delivery-filters.ts';
import { component, operation, page, parameter, resource, schemasOf } from './operation.ts';
import { pageQuery } from './paging.ts';
import { bulkFields, byFilter, replay } from './replays.ts';
import {
  closedObject,
  count,
  either,
  flag,
  id,
  integer,
  map,
  nullable,
  nullableTextIn,
  number,
  object,
  oneOf,
  saying,
  type Static,
  text,
  textIn,
  time,
} from './schema.ts';

const ms = nullable(number);

/** The last attempt of a delivery. */
export const lastAttemptFields = {
  last_outcome: saying(
    'of the last attempt; null: none yet, or it was before this was recorded',
    nullableTextIn(attemptOutcomes),
  ),
  last_http_status: saying('of the last attempt; null as well if there was no response', nullable(integer)),
  last_detail: saying('of the last attempt', nullable(text)),
};

export const delivery = component(
  'Delivery',
  object({
    id: id('dlv'),
    event_id: id('evt'),
    event_type: saying('of the event; null if it was erased', nullable(text)),
    endpoint_id: text,
    generation: saying('replay generation: 0, then one more per replay', count),
    status: oneOf(deliveryStatuses),
    attempts: count,
    next_attempt_at: nullable(time),
    detail: nullable(text),
    ...lastAttemptFields,
    created_at: time,
    updated_at: time,
  }),
);

export type Delivery = Static<typeof delivery.schema>;

export const attempt = component(
  'Attempt',
  object({
    attempt: count,
    at: time,
    outcome: oneOf(attemptOutcomes),
    http_status: nullable(integer),
    duration_ms: ms,
    detail: nullable(text),
    request: saying(
      'as it was sent; its body is the event’s payload. Null where nothing was. A portal session sees Hookline’s own headers alone',
      nullable(object({ method: text, url: text, headers: map(text) })),
    ),
    response_headers: nullable(map(text)),
    response_excerpt: saying('the first 8 kB of the response body', nullable(text)),
    response_excerpt_encoding: oneOf(['text', 'base64']),
    timing: saying(
      'null for phases that did not happen',
      nullable(object({ dns_ms: ms, connect_ms: ms, tls_ms: ms, first_byte_ms: ms, body_ms: ms })),
    ),
  }),
);

export type Attempt = Static<typeof attempt.schema>;

export const listDeliveries = operation({
  method: 'GET',
  path: '/v1/deliveries',
  tag: 'Deliveries',
  id: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description:
    'In the order of the times in their ids: when the event was received, or the replay was created. A page may be shorter than its limit, even empty, while `Link` has a next one.',
  access: { capability: 'view' },
  query: {
    ...deliveryFilterQuery,
    order: parameter(textIn(['asc', 'desc']), '`asc`: oldest first. Default: `desc`'),
    ...pageQuery,
  },
  answers: { 200: page(delivery, 'Deliveries that match') },
});

export const getDelivery = operation({
  method: 'GET',
  path: '/v1/deliveries/:id',
  tag: 'Deliveries',
  id: 'getDelivery',
  summary: 'Read a delivery',
  access: { capability: 'view' },
  answers: { 200: { is: 'The delivery and its status', body: delivery.ref } },
});

export const listDeliveryAttempts = operation({
  method: 'GET',
  path: '/v1/deliveries/:id/attempts',
  tag: 'Deliveries',
  id: 'listDeliveryAttempts',
  summary: 'List the attempts of a delivery, oldest first',
  access: { capability: 'view' },
  query: pageQuery,
  answers: { 200: page(attempt, 'Attempts with their outcomes') },
});

export const retryDelivery = operation({
  method: 'POST',
  path: '/v1/deliveries/:id/retry',
  tag: 'Deliveries',
  id: 'retryDelivery',
  summary: 'Retry a delivery now; if it is dead-lettered, replay its dead letter',
  access: { capability: 'replay', audit: 'delivery.retry' },
  body: closedObject({}),
  answers: { 202: { is: 'The delivery, or the replay', body: either(delivery.ref, replay.ref) } },
  errors: ['conflict', 'limit_reached'],
});

export const cancelDelivery = operation({
  method: 'POST',
  path: '/v1/deliveries/:id/cancel',
  tag: 'Deliveries',
  id: 'cancelDelivery',
  summary: 'Cancel an open delivery; an attempt in flight can still succeed',
  access: { audit: 'delivery.cancel' },
  body: closedObject({}),
  answers: {
    200: { is: 'The delivery is cancelled', body: delivery.ref },
    202: { is: 'The delivery will be cancelled within seconds', body: delivery.ref },
  },
  errors: ['conflict'],
});

const selected = closedObject(
  {},
  { filter: closedObject({}, schemasOf(deliveryFilterQuery)), all: flag, ...bulkFields },
);

export const retryDeliveries = operation({
  method: 'POST',
  path: '/v1/deliveries/retry',
  tag: 'Deliveries',
  id: 'retryDeliveries',
  summary: 'Retry the deliveries that match a filter: waiting ones are sent now, dead-lettered ones are replayed',
  access: { dryRunScope: 'read', capability: 'replay', audit: 'deliveries.retry' },
  body: selected,
  example: { filter: { status: 'dead_lettered' }, dry_run: true },
  ...byFilter,
});

export const cancelDeliveries = operation({
  method: 'POST',
  path: '/v1/deliveries/cancel',
  tag: 'Deliveries',
  id: 'cancelDeliveries',
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
  operations: [
    listDeliveries,
    getDelivery,
    listDeliveryAttempts,
    retryDelivery,
    cancelDelivery,
    retryDeliveries,
    cancelDeliveries,
  ],
});
