import { deadLetterStages } from '#lib/contract';
import { deadLetterStatuses, replayStatuses } from '#lib/replay-store';
import type { DocumentedResource } from '../operation.ts';
import { count, extend, flag, id, list, map, nullable, number, object, oneOf, saying, text, time } from '../schema.ts';

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
  status: oneOf(deadLetterStatuses),
  replay_id: nullable(id('rpl')),
  replayed_at: nullable(time),
  shortened: saying('the payload was cut because Kafka refused the complete record; it cannot be replayed', flag),
  original_bytes: saying('size of the complete payload; null if it was not cut', nullable(count)),
  original_sha256: saying('SHA-256 of the complete payload, in hex', nullable(text)),
});

const replay = object({
  id: id('rpl'),
  status: oneOf(replayStatuses),
  matched: saying('always replayed + failed + remaining', count),
  replayed: count,
  failed: count,
  remaining: count,
  request: saying('the filter of the request', map({})),
  rate_per_second: nullable(number),
  created_at: time,
  ended_at: nullable(time),
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
      payload_encoding: saying('null where it is kept no longer', { enum: ['json', 'base64', null] }),
      payload: {},
    }),
    Replay: replay,
    ReplayWithFailures: extend(replay, {
      ahead: saying('earlier replays of the tenant that must end first: larger replays run one at a time', count),
      failures: saying('number of failures by reason', map(count)),
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
