import { Registry } from 'prom-client';
import { createWaitOut } from '#lib/backoff';
import { createManualClock } from '#lib/clock';
import { header, parseDeadLetter } from '#lib/contract';
import { createBury } from '#lib/dead-letters';
import type { OutgoingRecord } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import { createBurial } from '../../../services/projector/bury-record.ts';
import { createProjectorMetrics } from '../../../services/projector/metrics.ts';
import type { FailedRecord } from '../../../services/projector/project-records.ts';
import { eventFact, outcomeFact } from './facts.ts';
import { incomingRecord } from './incoming-record.ts';

const never = new AbortController().signal;

function createHarness() {
  const sent: OutgoingRecord[] = [];
  const metrics = createProjectorMetrics(new Registry());
  const clock = createManualClock(1_700_000_000_000);
  const bury = createBurial({
    bury: createBury({
      producer: {
        send: async (record) => {
          sent.push(record);
          return { topic: record.topic, partition: 0, offset: 0n };
        },
      },
      topic: 'p.dead-letters',
      keep: async () => undefined,
      waitOut: createWaitOut({ clock, log: silentLogger }),
      clock,
      log: silentLogger,
      metrics: new Registry(),
    }),
    clock,
    metrics,
  });
  return { bury: (failed: FailedRecord) => bury(failed, never), sent, metrics };
}

const headersOf = (record: OutgoingRecord | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(record?.headers ?? {}).map(([name, value]) => [name, String(value)]));

const record = incomingRecord({
  topic: 'p.events',
  offset: 42,
  key: 'evt',
  value: Buffer.from([0, 1, 255]),
  headers: { traceparent: 'x', [header.tenant]: 'as it was' },
});

test('a dead letter has the key, the bytes and the headers as they were, and what happened', async () => {
  const { bury, sent, metrics } = createHarness();
  await bury({ record, fact: null, reason: 'malformed_record', attempts: 1 });
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ topic: 'p.dead-letters', key: record.key, value: record.value });
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
  const { values } = await metrics.deadLetters.get();
  expect(values).toMatchObject([
    { labels: { stage: 'projector', reason: 'malformed_record' }, value: 1 },
    { labels: { reason: 'data_invalid' }, value: 0 },
  ]);
});

test('it says whose it is where only the record’s value said so, and leaves what the record said itself', async () => {
  const { bury, sent } = createHarness();
  const fact = outcomeFact({ tenant: 't', eventId: 'evt' }, 'ep', 1, 'delivered');
  const failed = { fact, reason: 'data_invalid', attempts: 3 } as const;
  await bury({ ...failed, record: incomingRecord({ topic: 'p.delivery.attempts' }) });
  await bury({ ...failed, record });
  expect(headersOf(sent[0])).toMatchObject({
    [header.tenant]: 't',
    [header.eventId]: 'evt',
    [header.deliveryId]: 'dlv_evt_ep_0',
    [header.endpointId]: 'ep',
  });
  expect(headersOf(sent[1])[header.tenant]).toBe('as it was');
});

test('a name that no row can hold is left out: the dead letter could not be found by it, nor at all', async () => {
  const { bury, sent } = createHarness();
  const fact = eventFact({ tenant: 't', eventId: 'evt' }, { type: 'a\0b' });
  await bury({ record: incomingRecord({ topic: 'p.events' }), fact, reason: 'data_invalid', attempts: 2 });
  const headers = headersOf(sent[0]);
  expect(headers).toMatchObject({ [header.tenant]: 't', [header.eventId]: 'evt' });
  expect(headers).not.toHaveProperty(header.eventType);
});
