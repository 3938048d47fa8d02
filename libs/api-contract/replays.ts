import { replayItemStatuses, replayOperations, replayOutcomes, shownReplayStatuses } from '#lib/contract';
import { eventFilterQuery } from './event-filters.ts';
import { replayRate, wholeNumber } from './fields.ts';
import { component, operation, page, parameter, schemasOf } from './operation.ts';
import { pageQuery, waitQuery } from './paging.ts';
import {
  closedObject,
  count,
  either,
  extend,
  flag,
  id,
  list,
  map,
  nullable,
  number,
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

export const replay = component(
  'Replay',
  object({
    id: id('rpl'),
    status: saying(
      '`queued`: a replay by filter, while an earlier one of the tenant runs. `sent`: every item is sent, and some deliveries are open. `completed`, or `partial` if more had matched than the limit let in: they have ended',
      oneOf(shownReplayStatuses),
    ),
    operation: saying('of a replay by filter; null for others', oneOf([...replayOperations, null])),
    matched: saying('always replayed + failed + remaining', count),
    left_out: saying('counted by the dry run, but matches no longer, or is part of another replay', count),
    replayed: saying('items that are done: sent again, made due, or asked to be cancelled', count),
    failed: saying('items that could not be sent', count),
    remaining: count,
    outcome: saying(
      'what has become of the deliveries of `replayed` items; null if an earlier version sent them. Records that are no deliveries return to their topic, and are not among these',
      nullable(object({ delivered: count, waiting: count, dead_lettered: count, cancelled: count })),
    ),
    request: saying('the filter of the request', map(unknownValue)),
    rate_per_second: nullable(number),
    created_at: time,
    sent_at: saying('since when every item is sent, or has failed', nullable(time)),
    ended_at: saying('since when their deliveries have ended, too', nullable(time)),
  }),
);

export type Replay = Static<typeof replay.schema>;

export const replayWithFailures = component(
  'ReplayWithFailures',
  extend(replay.schema, {
    ahead: saying('earlier replays of the tenant that must end first: larger replays run one at a time', count),
    failures: saying('number of failures by reason', map(count)),
  }),
);

export type ReplayWithFailures = Static<typeof replayWithFailures.schema>;

export const replayItem = component(
  'ReplayItem',
  object({
    item: count,
    status: oneOf(replayItemStatuses),
    reason: saying('why it failed', nullable(text)),
    dead_letter_id: nullable(id('dl')),
    event_id: nullable(text),
    endpoint_id: nullable(text),
    delivery_id: saying('of a retry or cancel of a delivery that waits', nullable(text)),
    generation: count,
    outcome: saying(
      'what has become of its delivery; null if it has none, or was not sent',
      oneOf([...replayOutcomes, null]),
    ),
  }),
);

export type ReplayItem = Static<typeof replayItem.schema>;

export const bulkPreview = component(
  'BulkPreview',
  object({
    dry_run: flag,
    as_of: saying('starts what was counted: send the same request with it, without `dry_run`', text),
    matched: saying('deliveries', count),
    left_out: saying('number of matches left out because of `limit`', count),
    complete: saying('false: counting took too long, and there are more', flag),
    by_endpoint: list(
      object({
        endpoint_id: text,
        deliveries: count,
        at_most: saying('its payload filter is matched later, and takes some of them', flag),
      }),
    ),
    by_reason: saying(
      'by status of the events; by last outcome of the deliveries, or status if nothing was sent',
      list(object({ reason: text, deliveries: count })),
    ),
    seconds: saying('time at this rate; null without `rate_per_second`', nullable(count)),
  }),
);

export type BulkPreview = Static<typeof bulkPreview.schema>;

/** Items of an operation by filter. */
export const maxBulkItems = 10_000_000;

/** Fields of each operation by filter, after its filter. */
export const bulkFields = {
  limit: wholeNumber(1, maxBulkItems),
  rate_per_second: replayRate,
  dry_run: flag,
  as_of: textOf({ maxLength: 100 }),
};

/** The rest of each operation by filter. */
export const byFilter = {
  description:
    'Requires at least one filter, or `all`: true. First send it with `dry_run`: true, then the same with the `as_of` of that answer; what was received or created later is not taken. Without `dry_run`, the key needs the scope `write`.',
  answers: {
    202: { is: 'The replay, or, with `dry_run`, what it would take', body: either(replay.ref, bulkPreview.ref) },
  },
  errors: ['conflict', 'limit_reached'],
} as const;

export const replayEvent = operation({
  method: 'POST',
  path: '/v1/events/:id/replay',
  tag: 'Events',
  id: 'replayEvent',
  summary: 'Replay an event to all endpoints that match it now, or to one endpoint',
  access: { capability: 'replay', audit: 'event.replay' },
  body: closedObject({}, { endpoint_id: textOf({ maxLength: 100 }) }),
  answers: { 202: { is: 'The replay', body: replay.ref, headers: ['Location'] } },
  errors: ['conflict', 'limit_reached'],
});

export const replayEvents = operation({
  method: 'POST',
  path: '/v1/events/replay',
  tag: 'Events',
  id: 'replayEvents',
  summary: 'Replay the events that match a filter',
  access: { dryRunScope: 'read', capability: 'replay', audit: 'events.replay' },
  body: closedObject(
    {},
    {
      filter: closedObject({}, schemasOf(eventFilterQuery)),
      all: flag,
      endpoint_id: textOf({ maxLength: 100 }),
      ...bulkFields,
    },
  ),
  example: { filter: { type: 'order.paid' }, dry_run: true },
  ...byFilter,
});

export const listReplays = operation({
  method: 'GET',
  path: '/v1/replays',
  tag: 'Dead letters and replays',
  id: 'listReplays',
  summary: 'List replays, newest first',
  access: { capability: 'view', ofAllTenants: true },
  query: pageQuery,
  answers: { 200: page(replay, 'Replays of the tenant') },
});

export const getReplay = operation({
  method: 'GET',
  path: '/v1/replays/:id',
  tag: 'Dead letters and replays',
  id: 'getReplay',
  summary: 'Read the progress of a replay; optionally wait for it',
  description:
    'It is `sent` once every item is sent, and `completed` once their deliveries have ended: `outcome` says how. With `wait`, the response is held until the replay changes or has ended, or the time is over; with `If-None-Match`, until it differs from that one.',
  access: { capability: 'view', ofAllTenants: true },
  query: waitQuery,
  answers: {
    200: { is: 'The replay', body: replayWithFailures.ref, headers: ['ETag', 'Preference-Applied'] },
    304: { is: 'The response would be the one that `If-None-Match` names', headers: ['ETag'] },
  },
});

export const listReplayItems = operation({
  method: 'GET',
  path: '/v1/replays/:id/items',
  tag: 'Dead letters and replays',
  id: 'listReplayItems',
  summary: 'List the items of a replay, such as those that could not be sent, or did not arrive',
  access: { capability: 'view', ofAllTenants: true },
  query: {
    ...pageQuery,
    status: parameter(textIn(replayItemStatuses)),
    outcome: parameter(textIn(replayOutcomes)),
  },
  answers: { 200: page(replayItem, 'Items of the replay, in its order') },
});

export const cancelReplay = operation({
  method: 'DELETE',
  path: '/v1/replays/:id',
  tag: 'Dead letters and replays',
  id: 'cancelReplay',
  summary: 'Cancel a replay; items not sent yet are dead letters again',
  access: { capability: 'replay', audit: 'replay.cancel', ofAllTenants: true },
  answers: { 204: { is: 'The replay is cancelled' } },
  errors: ['conflict'],
});
