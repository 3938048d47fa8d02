import { deadLetterStages } from '#lib/contract';
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
  status: oneOf(['dead', 'replaying', 'replayed']),
  replay_id: nullable(id('rpl')),
  replayed_at: nullable(time),
  shortened: saying('Kafka refused it whole: it can’t be replayed', flag),
  original_bytes: saying('of the value that it was shortened from; null where it is whole', nullable(count)),
  original_sha256: saying('of the same, in hex', nullable(text)),
});

const replay = object({
  id: id('rpl'),
  status: oneOf(['running', 'completed', 'partial', 'cancelled']),
  matched: saying('replayed + failed + remaining, at any time', count),
  replayed: count,
  failed: count,
  remaining: count,
  request: saying('as it was asked for', map({})),
  rate_per_second: nullable(number),
  created_at: time,
  ended_at: nullable(time),
});

const by = (field: string) => ({ [field]: nullable(text) });

export const documentedDeadLetters: DocumentedResource = {
  tag: 'Dead letters and replays',
  description: 'What could not be processed or delivered, and what is sent again.',
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
      ahead: saying('replays of the tenant that it waits for: one of several items is under way at a time', count),
      failures: saying('how many, by reason', map(count)),
    }),
    ReplayPreview: object({
      dry_run: flag,
      matched: count,
      left_out: saying('by the limit', count),
      ids: saying('the first of them', list(id('dl'))),
      by_endpoint: list(object({ ...by('endpoint_id'), letters: count })),
      by_reason: list(object({ stage: oneOf(deadLetterStages), reason: text, letters: count })),
    }),
  },
};
