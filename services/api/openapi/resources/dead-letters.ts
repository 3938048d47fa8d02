import { deadLetterStages, deliveryStatuses } from '#lib/contract';
import {
  deadLetterStatuses,
  replayItemStatuses,
  replayOperations,
  replayOutcomes,
  shownReplayStatuses,
} from '#lib/replay-store';
import type { DocumentedResource } from '../operation.ts';
import { lastAttemptFields } from './deliveries.ts';
import {
  count,
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
  text,
  time,
} from '#lib/api-contract';

const letter = object({
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
});

const replay = object({
  id: id('rpl'),
  status: saying(
    '`queued`: a replay by filter, while an earlier one of the tenant runs. `sent`: every item is sent, and some deliveries are open. `completed`, or `partial` if more had matched than the limit let in: they have ended',
    oneOf(shownReplayStatuses),
  ),
  operation: saying('of a replay by filter; null for others', { enum: [...replayOperations, null] }),
  matched: saying('always replayed + failed + remaining', count),
  left_out: saying('counted by the dry run, but matches no longer, or is part of another replay', count),
  replayed: saying('items that are done: sent again, made due, or asked to be cancelled', count),
  failed: saying('items that could not be sent', count),
  remaining: count,
  outcome: saying(
    'what has become of the deliveries of `replayed` items; null if an earlier version sent them. Records that are no deliveries return to their topic, and are not among these',
    nullable(object({ delivered: count, waiting: count, dead_lettered: count, cancelled: count })),
  ),
  request: saying('the filter of the request', map({})),
  rate_per_second: nullable(number),
  created_at: time,
  sent_at: saying('since when every item is sent, or has failed', nullable(time)),
  ended_at: saying('since when their deliveries have ended, too', nullable(time)),
});

const by = (field: string) => ({ [field]: nullable(text) });

export const documentedDeadLetters: DocumentedResource = {
  tag: 'Dead letters and replays',
  description: 'Dead letters are records that could not be processed or delivered. A replay sends them again.',
  schemas: {
    DeadLetter: letter,
    DeadLetterWithPayload: extend(letter, {
      key: nullable(text),
      headers: map({ anyOf: [text, list(text)] }),
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
      payload_encoding: saying('null once it has been removed', { enum: ['json', 'base64', null] }),
      payload: {},
    }),
    Replay: replay,
    ReplayWithFailures: extend(replay, {
      ahead: saying('earlier replays of the tenant that must end first: larger replays run one at a time', count),
      failures: saying('number of failures by reason', map(count)),
    }),
    ReplayItem: object({
      item: count,
      status: oneOf(replayItemStatuses),
      reason: saying('why it failed', nullable(text)),
      dead_letter_id: nullable(id('dl')),
      event_id: nullable(text),
      endpoint_id: nullable(text),
      delivery_id: saying('of a retry or cancel of a delivery that waits', nullable(text)),
      generation: count,
      outcome: saying('what has become of its delivery; null if it has none, or was not sent', {
        enum: [...replayOutcomes, null],
      }),
    }),
    BulkPreview: object({
      dry_run: flag,
      as_of: saying('starts what was counted: send the same request with it, without `dry_run`', text),
      matched: saying('deliveries', count),
      left_out: saying('number of matches left out because of `limit`', count),
      complete: saying('false: counting took too long, and there are more', flag),
      by_endpoint: list(
        object({
          endpoint_id: text,
          deliveries: count,
          at_most: saying('its payload filter is judged later, and takes some of them', flag),
        }),
      ),
      by_reason: saying(
        'by status of the events; by last outcome of the deliveries, or status if nothing was sent',
        list(object({ reason: text, deliveries: count })),
      ),
      seconds: saying('time at this rate; null without `rate_per_second`', nullable(count)),
    }),
    ReplayPreview: object({
      dry_run: flag,
      matched: count,
      left_out: saying('number of matches left out because of `limit`', count),
      ids: saying('the first dead letters that match', list(id('dl'))),
      by_endpoint: list(object({ ...by('endpoint_id'), letters: count })),
      by_reason: list(object({ stage: oneOf(deadLetterStages), reason: text, letters: count })),
    }),
  },
};
