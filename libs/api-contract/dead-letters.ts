import { deadLetterStages, deadLetterStatuses, deliveryStatuses, maxReplayDeadLetters } from '#lib/contract';
import { lastAttemptFields } from './deliveries.ts';
import { dateTime, filterText, replayRate, wholeNumber } from './fields.ts';
import { answer, component, operationsOf, page, pageQuery, parameter, resource, schemasOf } from './operation.ts';
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
import * as t from './schema.ts';

const operation = operationsOf('Dead letters and replays');

const deadLetter = component(
  'DeadLetter',
  t.object({
    id: t.id('dl'),
    stage: t.oneOf(deadLetterStages),
    reason: t.text,
    attempts: t.count,
    at: t.time,
    origin: t.text,
    generation: t.count,
    event_id: t.nullable(t.text),
    delivery_id: t.nullable(t.text),
    endpoint_id: t.nullable(t.text),
    source_id: t.nullable(t.text),
    event_type: t.nullable(t.text),
    ...lastAttemptFields,
    status: t.oneOf(deadLetterStatuses),
    replay_id: t.nullable(t.id('rpl')),
    replayed_at: t.nullable(t.time),
    replayed_delivery: t.saying(
      'the delivery that its last replay has sent, and where it stands; null for records that are no deliveries',
      t.nullable(t.object({ id: t.id('dlv'), status: t.oneOf(deliveryStatuses) })),
    ),
    shortened: t.saying('the payload was cut because Kafka refused the complete record; it cannot be replayed', t.flag),
    original_bytes: t.saying('size of the complete payload; null if it was not cut', t.nullable(t.count)),
    original_sha256: t.saying('SHA-256 of the complete payload, in hex', t.nullable(t.text)),
  }),
);

export type DeadLetter = t.Static<typeof deadLetter.schema>;

const deadLetterWithPayload = component(
  'DeadLetterWithPayload',
  t.extend(deadLetter.schema, {
    key: t.nullable(t.text),
    headers: t.map(t.either(t.text, t.list(t.text))),
    undecodable_batch: t.saying(
      'where it stood, for the reason `undecodable_batch`: the payload is the whole batch as on the topic; null for others',
      t.nullable(
        t.object({
          topic: t.text,
          partition: t.count,
          first_offset: t.text,
          last_offset: t.text,
          offsets: t.saying('all of them; null if there are more than 10,000', t.nullable(t.list(t.text))),
          compression: t.text,
          problem: t.saying('why it could not be decoded', t.text),
        }),
      ),
    ),
    payload_encoding: t.saying('null once it has been removed', t.oneOf(['json', 'base64', null])),
    payload: t.unknownValue,
  }),
);

export type DeadLetterWithPayload = t.Static<typeof deadLetterWithPayload.schema>;

const preview = component(
  'ReplayPreview',
  t.object({
    dry_run: t.flag,
    matched: t.count,
    left_out: t.saying('number of matches left out because of `limit`', t.count),
    ids: t.saying('the first dead letters that match', t.list(t.id('dl'))),
    by_endpoint: t.list(t.object({ endpoint_id: t.nullable(t.text), letters: t.count })),
    by_reason: t.list(t.object({ stage: t.oneOf(deadLetterStages), reason: t.text, letters: t.count })),
  }),
);

export type ReplayPreview = t.Static<typeof preview.schema>;

/** The filters for listing and replaying dead letters. */
export const deadLetterFilterQuery = {
  stage: parameter(t.textIn(deadLetterStages)),
  endpoint_id: parameter(filterText),
  event_type: parameter(filterText),
  source_id: parameter(filterText),
  reason: parameter(filterText),
  since: parameter(dateTime, 'RFC 3339: dead-lettered at or after this time'),
  until: parameter(dateTime, 'RFC 3339: dead-lettered before this time'),
};

export const listDeadLetters = operation('GET', '/v1/dead-letters', {
  summary: 'List dead letters, newest first',
  description:
    'With `Hookline-Tenant: *`, those that belong to no tenant: batches that could not be decoded, and records that name none.',
  access: { ofAllTenants: true },
  query: { ...deadLetterFilterQuery, status: parameter(t.textIn(deadLetterStatuses)), ...pageQuery },
  answers: { 200: page(deadLetter, 'Dead letters that match') },
});

export const getDeadLetter = operation('GET', '/v1/dead-letters/:id', {
  summary: 'Read a dead letter with key, headers and payload',
  access: { ofAllTenants: true },
  answers: { 200: answer(deadLetterWithPayload, 'The dead letter') },
});

export const replayDeadLetters = operation('POST', '/v1/dead-letters/replay', {
  summary: 'Replay matching dead letters',
  description:
    'Requires at least one filter, or `all`: true. With `dry_run`, nothing is sent; without it, the key needs the scope `write`.',
  access: { dryRunScope: 'read', audit: 'dead_letters.replay', ofAllTenants: true },
  body: t.optionalFields({
    ids: t.list(t.textOf({ maxLength: 100 }), { minItems: 1, maxItems: 10_000 }),
    ...schemasOf(deadLetterFilterQuery),
    all: t.flag,
    limit: wholeNumber(1, maxReplayDeadLetters),
    rate_per_second: replayRate,
    dry_run: t.flag,
  }),
  example: { stage: 'dispatcher', dry_run: true },
  answers: {
    202: {
      is: 'The replay, or, with `dry_run`, the dead letters it would send',
      body: t.either(replay.ref, preview.ref),
    },
  },
  errors: ['limit_reached'],
});

/** With the replays, whatever they send again: the document has one chapter for both. */
export const deadLettersAndReplays = resource({
  tag: 'Dead letters and replays',
  description: 'Dead letters are records that could not be processed or delivered. A replay sends them again.',
  components: [deadLetter, deadLetterWithPayload, replay, replayWithFailures, replayItem, bulkPreview, preview],
  operations: {
    listDeadLetters,
    getDeadLetter,
    replayDeadLetters,
    replayEvent,
    replayEvents,
    listReplays,
    getReplay,
    listReplayItems,
    cancelReplay,
  },
});
