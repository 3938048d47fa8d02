import {
  type AvroAttempt,
  deadLetterHeaders,
  duplicateToJson,
  header,
  packHeaders,
  parseAttempt,
  topicsOf,
} from '#lib/contract';
import { AppError } from '#lib/runtime';
import { createRecordReader } from '../../../services/projector/read-record.ts';
import { duplicateFact, eventFact, startAt } from './facts.ts';
import { incomingRecord } from './incoming-record.ts';
import { noSend } from '../../support/no-send.ts';

const topics = topicsOf('p.');
const { event } = eventFact({ tenant: 't', eventId: 'evt' });
const attempted: AvroAttempt = {
  ...noSend,
  kind: 'attempted',
  tenant: 't',
  event_id: 'evt',
  generation: 1,
  at: startAt,
  deliveries: [],
  delivery_id: 'dlv',
  endpoint_id: 'ep',
  step: 2,
  attempt: 1,
  status: 'retrying',
  created_at: startAt,
  outcome: 'timeout',
  http_status: null,
  duration_ms: 5_000,
  detail: 'no answer within 5 s',
  response_excerpt: null,
  next_attempt_at: startAt + 1,
  ordering_key: null,
  request: { method: 'POST', url: 'https://receiver.test/', headers: {} },
  response_headers: null,
  timing: null,
  chunk: null,
};

const read = (given: Parameters<typeof incomingRecord>[0], decoded: object = {}) =>
  createRecordReader({
    topics,
    decodeEvent: async () => ({ ...event, ...decoded }),
    decodeAttempt: async () => parseAttempt({ ...attempted, ...decoded }),
  })(incomingRecord(given));

test('an event is read with the trace that its record carries', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  expect(await read({ topic: 'p.events', headers: { traceparent } })).toEqual({
    fact: { kind: 'event', event, traceparent, fanOut: null },
  });
});

test('what is no event to the others is none here', async () => {
  for (const given of [{ id: 'evt\0' }, { received_at: -1 }, { tenant: 'x'.repeat(300) }])
    expect(await read({ topic: 'p.events' }, given)).toEqual({ malformed: expect.any(String) as string });
});

test('a set of deliveries, a send, and a wait without one are told apart', async () => {
  const topic = 'p.delivery.attempts';
  const deliveries = [{ delivery_id: 'dlv', endpoint_id: 'ep' }];
  const none = { delivery_id: null, endpoint_id: null, step: null, attempt: null, status: null, created_at: null };
  expect(await read({ topic }, { kind: 'fanned_out', deliveries, ...none, outcome: null })).toEqual({
    fact: {
      kind: 'fan-out',
      fanOut: { tenant: 't', event_id: 'evt', generation: 1, at: startAt, deliveries, chunk: null },
    },
  });
  expect(await read({ topic })).toMatchObject({
    fact: { kind: 'outcome', outcome: { kind: 'attempted', step: 2, outcome: 'timeout', duration_ms: 5_000 } },
  });
  const parked = await read({ topic }, { kind: 'parked', status: 'parked', outcome: null });
  expect(parked).toMatchObject({ fact: { kind: 'outcome', outcome: { kind: 'parked', status: 'parked' } } });
  expect(parked).not.toHaveProperty('fact.outcome.outcome');
});

test('a chunk of a set names its try and its place in it, or it is malformed', async () => {
  const topic = 'p.delivery.attempts';
  const chunk = { try: 'one', index: 1, count: 2 };
  expect(await read({ topic }, { kind: 'fanned_out', chunk })).toMatchObject({ fact: { fanOut: { chunk } } });
  const wrong = [{ try: '' }, { try: 'a\0' }, { index: 2 }, { index: -1 }, { count: 0 }, { count: 2 ** 31, index: 0 }];
  for (const given of wrong)
    expect(await read({ topic }, { kind: 'fanned_out', chunk: { ...chunk, ...given } })).toEqual({
      malformed: expect.any(String) as string,
    });
});

test('an outcome with an ordering key is of a delivery that is sent in an order', async () => {
  const topic = 'p.delivery.attempts';
  expect(await read({ topic })).toMatchObject({ fact: { outcome: { ordering_key: null } } });
  expect(await read({ topic }, { ordering_key: '' })).toMatchObject({ fact: { outcome: { ordering_key: '' } } });
});

test.each([
  ['a step', { step: null }],
  ['a delivery', { delivery_id: null }],
  ['an endpoint', { endpoint_id: null }],
  ['a count of sends', { attempt: null }],
  ['a status', { status: null }],
  ['the time of its creation', { created_at: null }],
  ['an outcome, though sent', { outcome: null }],
  ['a time that can be written down', { at: 2 ** 60 }],
  ['a time after 1970', { next_attempt_at: -1 }],
])('an outcome without %s is malformed', async (_what, decoded) => {
  expect(await read({ topic: 'p.delivery.attempts' }, decoded)).toEqual({ malformed: expect.any(String) as string });
});

test('a duplicate is read from its JSON', async () => {
  const fact = duplicateFact({ tenant: 't', eventId: 'evt' }, { origin: 'o', key: 'k' });
  const { duplicate } = fact as Extract<typeof fact, { kind: 'duplicate' }>;
  expect(await read({ topic: 'p.duplicates', value: duplicateToJson(duplicate) })).toEqual({ fact });
  for (const wrong of [{ dedup_key: 'no hex' }, { dedup_key: '' }, { received_at: -1 }, { tenant: 5 }]) {
    const value = JSON.stringify({ ...duplicate, ...wrong });
    expect(await read({ topic: 'p.duplicates', value })).toEqual({ malformed: expect.any(String) as string });
  }
  expect(await read({ topic: 'p.duplicates', value: '{' })).toEqual({ malformed: expect.any(String) as string });
});

test('a dead letter is read from its headers, whatever its bytes; what it does not say is null, its tenant none', async () => {
  const facts = { stage: 'dedup', reason: 'malformed_record', attempts: 1, origin: 'r-0-1', at: startAt } as const;
  const deadLetter = { topic: 'p.dead-letters', offset: 7, value: Buffer.from([0, 255]) };
  expect(await read({ ...deadLetter, headers: deadLetterHeaders(facts) })).toEqual({
    fact: {
      kind: 'dead_letter',
      deadLetter: {
        ...facts,
        tenant: '*',
        event_id: null,
        delivery_id: null,
        endpoint_id: null,
        source_id: null,
        event_type: null,
        generation: 0,
        key: null,
        headers: packHeaders({}),
        value: deadLetter.value,
        shortenedFrom: null,
        partition: 3,
        offset: 7n,
      },
    },
  });
  const headers = { ...deadLetterHeaders(facts), [header.tenant]: 't', [header.sourceId]: 'src' };
  expect(await read({ ...deadLetter, headers })).toMatchObject({
    fact: { deadLetter: { tenant: 't', source_id: 'src', event_id: null } },
  });
  expect(await read(deadLetter)).toEqual({ malformed: expect.any(String) as string });
});

test('bytes that do not decode are malformed; a registry that is away says nothing about them', async () => {
  const failing = (error: AppError) =>
    createRecordReader({
      topics,
      decodeEvent: () => Promise.reject(error),
      decodeAttempt: () => Promise.reject(error),
    })(incomingRecord({ topic: 'p.events' }));
  expect(await failing(new AppError('data_invalid', 'no Avro'))).toEqual({ malformed: 'no Avro' });
  await expect(failing(new AppError('registry_unavailable', 'away'))).rejects.toMatchObject({ retryable: true });
});

test('a topic that is not projected is none of its business', async () => {
  expect(await read({ topic: 'p.deliveries' })).toEqual({ malformed: 'nothing is projected from p.deliveries' });
});
