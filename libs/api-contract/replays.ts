import { replayItemStatuses, replayOperations, replayOutcomes, shownReplayStatuses } from '#lib/contract';
import { eventFilterQuery } from './event-filters.ts';
import { replayRate, wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, parameter, schemasOf, waitQuery } from './operation.ts';
import * as t from './schema.ts';

const eventOperation = operationsOf('Events');
const replayOperation = operationsOf('Dead letters and replays');

export const replay = component(
  'Replay',
  t.object({
    id: t.id('rpl'),
    status: t.saying(
      '`queued`: a replay by filter, while an earlier one of the tenant runs. `sent`: every item is sent, and some deliveries are open. `completed`, or `partial` if more had matched than the limit let in: they have ended',
      t.oneOf(shownReplayStatuses),
    ),
    operation: t.saying('of a replay by filter; null for others', t.oneOf([...replayOperations, null])),
    matched: t.saying('always replayed + failed + remaining', t.count),
    left_out: t.saying('counted by the dry run, but matches no longer, or is part of another replay', t.count),
    replayed: t.saying('items that are done: sent again, made due, or asked to be cancelled', t.count),
    failed: t.saying('items that could not be sent', t.count),
    remaining: t.count,
    outcome: t.saying(
      'what has become of the deliveries of `replayed` items; null if an earlier version sent them. Records that are no deliveries return to their topic, and are not among these',
      t.nullable(t.object({ delivered: t.count, waiting: t.count, dead_lettered: t.count, cancelled: t.count })),
    ),
    request: t.saying('the filter of the request', t.map(t.unknownValue)),
    rate_per_second: t.nullable(t.number),
    created_at: t.time,
    sent_at: t.saying('since when every item is sent, or has failed', t.nullable(t.time)),
    ended_at: t.saying('since when their deliveries have ended, too', t.nullable(t.time)),
  }),
);

export type Replay = t.Static<typeof replay.schema>;

export const replayWithFailures = component(
  'ReplayWithFailures',
  t.extend(replay.schema, {
    ahead: t.saying('earlier replays of the tenant that must end first: larger replays run one at a time', t.count),
    failures: t.saying('number of failures by reason', t.map(t.count)),
  }),
);

export type ReplayWithFailures = t.Static<typeof replayWithFailures.schema>;

export const replayItem = component(
  'ReplayItem',
  t.object({
    item: t.count,
    status: t.oneOf(replayItemStatuses),
    reason: t.saying('why it failed', t.nullable(t.text)),
    dead_letter_id: t.nullable(t.id('dl')),
    event_id: t.nullable(t.text),
    endpoint_id: t.nullable(t.text),
    delivery_id: t.saying('of a retry or cancel of a delivery that waits', t.nullable(t.text)),
    generation: t.count,
    outcome: t.saying(
      'what has become of its delivery; null if it has none, or was not sent',
      t.oneOf([...replayOutcomes, null]),
    ),
  }),
);

export type ReplayItem = t.Static<typeof replayItem.schema>;

export const bulkPreview = component(
  'BulkPreview',
  t.object({
    dry_run: t.flag,
    as_of: t.saying('starts what was counted: send the same request with it, without `dry_run`', t.text),
    matched: t.saying('deliveries', t.count),
    left_out: t.saying('number of matches left out because of `limit`', t.count),
    complete: t.saying('false: counting took too long, and there are more', t.flag),
    by_endpoint: t.list(
      t.object({
        endpoint_id: t.text,
        deliveries: t.count,
        at_most: t.saying('its payload filter is matched later, and takes some of them', t.flag),
      }),
    ),
    by_reason: t.saying(
      'by status of the events; by last outcome of the deliveries, or status if nothing was sent',
      t.list(t.object({ reason: t.text, deliveries: t.count })),
    ),
    seconds: t.saying('time at this rate; null without `rate_per_second`', t.nullable(t.count)),
  }),
);

export type BulkPreview = t.Static<typeof bulkPreview.schema>;

/** Items of an operation by filter. */
export const maxBulkItems = 10_000_000;

/** Fields of each operation by filter, after its filter. */
export const bulkFields = {
  limit: wholeNumber(1, maxBulkItems),
  rate_per_second: replayRate,
  dry_run: t.flag,
  as_of: t.textOf({ maxLength: 100 }),
};

/** The rest of each operation by filter. */
export const byFilter = {
  description:
    'Requires at least one filter, or `all`: true. First send it with `dry_run`: true, then the same with the `as_of` of that answer; what was received or created later is not taken. Without `dry_run`, the key needs the scope `write`.',
  answers: {
    202: { is: 'The replay, or, with `dry_run`, what it would take', body: t.either(replay.ref, bulkPreview.ref) },
  },
  errors: ['conflict', 'limit_reached'],
} as const;

export const replayEvent = eventOperation('POST', '/v1/events/:id/replay', {
  id: 'replayEvent',
  summary: 'Replay an event to all endpoints that match it now, or to one endpoint',
  access: { capability: 'replay', audit: 'event.replay' },
  body: t.optionalFields({ endpoint_id: t.textOf({ maxLength: 100 }) }),
  answers: { 202: answer(replay, 'The replay', 'Location') },
  errors: ['conflict', 'limit_reached'],
});

export const replayEvents = eventOperation('POST', '/v1/events/replay', {
  id: 'replayEvents',
  summary: 'Replay the events that match a filter',
  access: { dryRunScope: 'read', capability: 'replay', audit: 'events.replay' },
  body: t.optionalFields({
    filter: t.optionalFields(schemasOf(eventFilterQuery)),
    all: t.flag,
    endpoint_id: t.textOf({ maxLength: 100 }),
    ...bulkFields,
  }),
  example: { filter: { type: 'order.paid' }, dry_run: true },
  ...byFilter,
});

export const listReplays = replayOperation('GET', '/v1/replays', {
  id: 'listReplays',
  summary: 'List replays, newest first',
  access: { capability: 'view', ofAllTenants: true },
  query: pageQuery,
  answers: { 200: page(replay, 'Replays of the tenant') },
});

export const getReplay = replayOperation('GET', '/v1/replays/:id', {
  id: 'getReplay',
  summary: 'Read the progress of a replay; optionally wait for it',
  description:
    'It is `sent` once every item is sent, and `completed` once their deliveries have ended: `outcome` says how. With `wait`, the response is held until the replay changes or has ended, or the time is over; with `If-None-Match`, until it differs from that one.',
  access: { capability: 'view', ofAllTenants: true },
  query: waitQuery,
  answers: {
    200: answer(replayWithFailures, 'The replay', 'ETag', 'Preference-Applied'),
    304: { is: 'The response would be the one that `If-None-Match` names', headers: ['ETag'] },
  },
});

export const listReplayItems = replayOperation('GET', '/v1/replays/:id/items', {
  id: 'listReplayItems',
  summary: 'List the items of a replay, such as those that could not be sent, or did not arrive',
  access: { capability: 'view', ofAllTenants: true },
  query: {
    ...pageQuery,
    status: parameter(t.textIn(replayItemStatuses)),
    outcome: parameter(t.textIn(replayOutcomes)),
  },
  answers: { 200: page(replayItem, 'Items of the replay, in its order') },
});

export const cancelReplay = replayOperation('DELETE', '/v1/replays/:id', {
  id: 'cancelReplay',
  summary: 'Cancel a replay; items not sent yet are dead letters again',
  access: { capability: 'replay', audit: 'replay.cancel', ofAllTenants: true },
  answers: { 204: { is: 'The replay is cancelled' } },
  errors: ['conflict'],
});
