import { header, parseDeadLetter } from '#lib/contract';
import { createBury, createBuryRecord, deadLetterCounter } from '#lib/dead-letters';
import type { OutgoingRecord } from '#lib/kafka';
import { createManualClock, createWaitOut, silentLogger } from '#lib/runtime';
import { Metrics, type Span } from '#lib/telemetry';
import { seriesOf } from '../../support/series.ts';
import { incomingRecord } from '../projector/incoming-record.ts';

const never = new AbortController().signal;

function createHarness() {
  const sent: OutgoingRecord[] = [];
  const lines: object[] = [];
  const metrics = new Metrics();
  const clock = createManualClock(1_700_000_000_000);
  const log = { ...silentLogger, error: (line: object) => void lines.push(line) };
  const bury = createBury({
    producer: {
      async send(record) {
        sent.push(record);
        return { topic: record.topic, partition: 0, offset: 0n };
      },
    },
    topic: 'p.dead-letters',
    keep: async () => undefined,
    counter: deadLetterCounter('Dead letters', ['projector']),
    waitOut: createWaitOut({ clock, log }),
    clock,
    log,
    metrics,
  });
  return { buryRecord: createBuryRecord({ bury, stage: 'projector', log }), sent, lines, metrics };
}

const headersOf = (record: OutgoingRecord | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(record?.headers ?? {}).map(([name, value]) => [name, String(value)]));

const record = () =>
  incomingRecord({
    topic: 'p.events',
    offset: 42,
    key: 'evt',
    value: Buffer.from([0, 1, 255]),
    headers: { traceparent: 'x', [header.tenant]: 'as it was' },
  });
const malformed = { reason: 'malformed_record', attempts: 1, logged: { problem: 'no Avro' } } as const;

test('a dead letter has the key, the bytes and the headers as they were, and what happened', async () => {
  const { buryRecord, sent, metrics } = createHarness();
  const given = record();
  await buryRecord(given, malformed, never);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ topic: 'p.dead-letters', key: given.key, value: given.value });
  const headers = headersOf(sent[0]);
  expect(headers).toMatchObject({ traceparent: 'x', [header.tenant]: 'as it was' });
  expect(parseDeadLetter(headers)).toEqual({
    stage: 'projector',
    reason: 'malformed_record',
    attempts: 1,
    generation: 0,
    origin: 'p.events-3-42',
    at: 1_700_000_000_000_000,
    shortenedFrom: null,
  });
  expect(await seriesOf(metrics, 'hookline_dead_letters_total')).toEqual({
    'stage="projector",reason="malformed_record"': 1,
    'stage="projector",reason="undecodable_batch"': 0,
    'stage="projector",reason="data_invalid"': 0,
  });
});

test('then the record is done, its span has failed, and the log says where it is', async () => {
  const { buryRecord, sent, lines } = createHarness();
  const failed: string[] = [];
  const span = { fail: (reason: string) => void failed.push(reason) } as unknown as Span;
  const given = { ...record(), span };
  const burying = buryRecord(given, malformed, never);
  expect(given.doneCount()).toBe(0);
  await burying;
  expect([sent.length, given.doneCount(), failed]).toEqual([1, 1, ['malformed_record']]);
  expect(lines).toEqual([
    {
      event: 'record.dead_lettered',
      stage: 'projector',
      reason: 'malformed_record',
      attempts: 1,
      origin: 'p.events-3-42',
      topic: 'p.events',
      partition: 3,
      offset: '42',
      problem: 'no Avro',
    },
  ]);
});

test('a record that was replayed keeps the origin where it first stood', async () => {
  const { buryRecord, sent } = createHarness();
  await buryRecord(
    incomingRecord({ topic: 'p.events', headers: { [header.origin]: 'p.events-0-7' } }),
    malformed,
    never,
  );
  expect(headersOf(sent[0])[header.deadLetterOrigin]).toBe('p.events-0-7');
});

test('headers by which it is looked up are added where the record has none of their names', async () => {
  const { buryRecord, sent } = createHarness();
  const headers = { [header.tenant]: 't', [header.eventId]: 'evt' };
  await buryRecord(record(), { ...malformed, headers }, never);
  expect(headersOf(sent[0])).toMatchObject({ [header.tenant]: 'as it was', [header.eventId]: 'evt' });
});
