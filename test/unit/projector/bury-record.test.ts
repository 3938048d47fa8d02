import { Registry } from 'prom-client';
import { createManualClock } from '#lib/clock';
import { header, parseDeadLetter } from '#lib/contract';
import { AppError } from '#lib/errors';
import type { OutgoingRecord } from '#lib/kafka';
import { silentLogger } from '#lib/log';
import { createBurial } from '../../../services/projector/bury-record.ts';
import { createProjectorMetrics } from '../../../services/projector/metrics.ts';
import { eventFact, outcomeFact } from './facts.ts';
import { incomingRecord } from './incoming-record.ts';

function createHarness(send?: () => Promise<never>) {
  const sent: OutgoingRecord[] = [];
  const metrics = createProjectorMetrics(new Registry());
  const bury = createBurial({
    producer: {
      send: async (record) => {
        if (send !== undefined) return send();
        sent.push(record);
        return { topic: record.topic, partition: 0, offset: 0n };
      },
    },
    topic: 'p.dead-letters',
    clock: createManualClock(1_700_000_000_000),
    log: silentLogger,
    metrics,
  });
  return { bury, sent, metrics };
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

test('a letter has the key, the bytes and the headers as they were, and what happened', async () => {
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

test('a name that no row can hold is left out: the letter could not be found by it, nor at all', async () => {
  const { bury, sent } = createHarness();
  const fact = eventFact({ tenant: 't', eventId: 'evt' }, { type: 'a\0b' });
  await bury({ record: incomingRecord({ topic: 'p.events' }), fact, reason: 'data_invalid', attempts: 2 });
  const headers = headersOf(sent[0]);
  expect(headers).toMatchObject({ [header.tenant]: 't', [header.eventId]: 'evt' });
  expect(headers).not.toHaveProperty(header.eventType);
});

test('a letter that Kafka refuses for good does not stop the rest; one that it can’t take now is tried again', async () => {
  const failed = { record, fact: null, reason: 'malformed_record', attempts: 1 } as const;
  const refused = createHarness(() => Promise.reject(new AppError('data_invalid', 'too large')));
  await refused.bury(failed);
  expect((await refused.metrics.deadLetters.get()).values).toMatchObject([{ value: 0 }, { value: 0 }]);
  const away = createHarness(() => Promise.reject(new AppError('kafka_unavailable', 'away')));
  await expect(away.bury(failed)).rejects.toMatchObject({ retryable: true });
});
