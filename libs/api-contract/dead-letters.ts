import { deadLetterStages, deadLetterStatuses, deliveryStatuses, maxReplayDeadLetters } from '#lib/contract';
import { lastAttemptFields } from './deliveries.ts';
import { dateTime, filterText, replayRate, wholeNumber } from './fields.ts';
import { component, operation, page, parameter, resource, schemasOf } from './operation.ts';
import { pageQuery } from './paging.ts';
import {
  bulkPreview,
  cancelReplay,
  getReplay,
  listReplayItems,
  listReplays,
  replay,
  replayEvent,
  replayEvents,
  replayItem,
  replayWithFailures,
} from './replays.ts';
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

const deadLetter = component(
  'DeadLetter',
  object({
    id: id('dl'),
    stage: oneOf(deadLetterStages),
    reason: text,
    attempts: count,
    at: time,
    origin: text,
    generation: count,
    event_id: nullable(text),
    delivery_id: nullable(text),
    endpoint_id: nullable(text),
    source_id: nullable(text),
    event_type: nullable(text),
    ...lastAttemptFields,
    status: oneOf(deadLetterStatuses),
    replay_id: nullable(id('rpl')),
    replayed_at: nullable(time),
    replayed_delivery: saying(
      'the delivery that its last replay has sent, and where it stands; null for records that are no deliveries',
      nullable(object({ id: id('dlv'), status: oneOf(deliveryStatuses) })),
    ),
    shortened: saying('the payload was cut because Kafka refused the complete record; it cannot be replayed', flag),
    original_bytes: saying('size of the complete payload; null if it was not cut', nullable(count)),
    original_sha256: saying('SHA-256 of the complete payload, in hex', nullable(text)),
  }),
);

export type DeadLetter = Static<typeof deadLetter.schema>;

const deadLetterWithPayload = component(
  'DeadLetterWithPayload',
  extend(deadLetter.schema, {
    key: nullable(text),
    headers: map(either(text, list(text))),
    undecodable_batch: saying(
      'where it stood, for the reason `undecodable_batch`: the payload is the whole batch as on the topic; null for others',
      nullable(
        object({
          topic: text,
          partition: count,
          first_offset: text,
          last_offset: text,
          offsets: saying('all of them; null if there are more than 10,000', nullable(list(text))),
          compression: text,
          problem: saying('why it could not be decoded', text),
        }),
      ),
    ),
    payload_encoding: saying('null once it has been removed', oneOf(['json', 'base64', null])),
    payload: unknownValue,
  }),
);

export type DeadLetterWithPayload = Static<typeof deadLetterWithPayload.schema>;

const preview = component(
  'ReplayPreview',
  object({
    dry_run: flag,
    matched: count,
    left_out: saying('number of matches left out because of `limit`', count),
    ids: saying('the first dead letters that match', list(id('dl'))),
    by_endpoint: list(object({ endpoint_id: nullable(text), letters: count })),
    by_reason: list(object({ stage: oneOf(deadLetterStages), reason: text, letters: count })),
  }),
);

export type ReplayPreview = Static<typeof preview.schema>;

/** The filters for listing and replaying dead letters. */
export const deadLetterFilterQuery = {
  stage: parameter(textIn(deadLetterStages)),
  endpoint_id: parameter(filterText),
  event_type: parameter(filterText),
  source_id: parameter(filterText),
  reason: parameter(filterText),
  since: parameter(dateTime, 'RFC 3339: dead-lettered at or after this time'),
  until: parameter(dateTime, 'RFC 3339: dead-lettered before this time'),
};

export const listDeadLetters = operation({
  method: 'GET',
  path: '/v1/dead-letters',
  tag: 'Dead letters and replays',
  id: 'listDeadLetters',
  summary: 'List dead letters, newest first',
  description:
    'With `Hookline-Tenant: *`, those that belong to no tenant: batches that could not be decoded, and records that name none.',
  access: { ofAllTenants: true },
  query: { ...deadLetterFilterQuery, status: parameter(textIn(deadLetterStatuses)), ...pageQuery },
  answers: { 200: page(deadLetter, 'Dead letters that match') },
});

export const getDeadLetter = operation({
  method: 'GET',
  path: '/v1/dead-letters/:id',
  tag: 'Dead letters and replays',
  id: 'getDeadLetter',
  summary: 'Read a dead letter with key, headers and payload',
  access: { ofAllTenants: true },
  answers: { 200: { is: 'The dead letter', body: deadLetterWithPayload.ref } },
});

export const replayDeadLetters = operation({
  method: 'POST',
  path: '/v1/dead-letters/replay',
  tag: 'Dead letters and replays',
  id: 'replayDeadLetters',
  summary: 'Replay matching dead letters',
  description:
    'Requires at least one filter, or `all`: true. With `dry_run`, nothing is sent; without it, the key needs the scope `write`.',
  access: { dryRunScope: 'read', audit: 'dead_letters.replay', ofAllTenants: true },
  body: closedObject(
    {},
    {
      ids: list(textOf({ maxLength: 100 }), { minItems: 1, maxItems: 10_000 }),
      ...schemasOf(deadLetterFilterQuery),
      all: flag,
      limit: wholeNumber(1, maxReplayDeadLetters),
      rate_per_second: replayRate,
      dry_run: flag,
    },
  ),
  example: { stage: 'dispatcher', dry_run: true },
  answers: {
    202: {
      is: 'The replay, or, with `dry_run`, the dead letters it would send',
      body: either(replay.ref, preview.ref),
    },
  },
  errors: ['limit_reached'],
});

/** With the replays, whatever they send again: the document has one chapter for both. */
export const deadLettersAndReplays = resource({
  tag: 'Dead letters and replays',
  description: 'Dead letters are records that could not be processed or delivered. A replay sends them again.',
  components: [deadLetter, deadLetterWithPayload, replay, replayWithFailures, replayItem, bulkPreview, preview],
  operations: [
    listDeadLetters,
    getDeadLetter,
    replayDeadLetters,
    replayEvent,
    replayEvents,
    listReplays,
    getReplay,
    listReplayItems,
    cancelReplay,
  ],
});
