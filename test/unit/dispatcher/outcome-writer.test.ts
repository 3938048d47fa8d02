import { deliveryHeaders, header, parseDeadLetter, parseDelivery } from '#lib/contract';
import {
  AppError,
  type CrashPoints,
  createManualClock,
  createWaitOut,
  noCrashPoints,
  silentLogger,
} from '#lib/runtime';
import { createOutcomeWriter } from '../../../services/dispatcher/send/outcome-writer.ts';
import type { OrderedRow } from '../../../services/dispatcher/model/waiting-row.ts';
import type { Job, RowJob } from '../../../services/dispatcher/model/job.ts';
import { createPublish } from '../../../services/dispatcher/publishing/publish.ts';
import { createRecentSteps } from '../../../services/dispatcher/model/recent-steps.ts';
import type { SendFacts } from '../../../services/dispatcher/send/send-facts.ts';
import * as fixtures from './fixtures.ts';
import { noSend } from '../../support/no-send.ts';

const { aDelivery, aRecord, aRecordJob, aRowJob, createFakeKafka, encodeAttempt, settle, startMicros, topics } =
  fixtures;

const failed: SendFacts = {
  ...noSend,
  outcome: 'http_5xx',
  http_status: 500,
  duration_ms: 12,
  detail: 'answered 500',
  response_excerpt: Buffer.from('no'),
  request: { method: 'POST', url: 'https://receiver.test/hook', headers: { 'webhook-id': 'evt_1' } },
  response_headers: { server: 'test' },
  timing: { dns_ms: 1, connect_ms: 2, tls_ms: 3, first_byte_ms: 4, body_ms: 5 },
};

function createWorld(crashPoints: CrashPoints = noCrashPoints) {
  const clock = createManualClock();
  const kafka = createFakeKafka();
  const removed: RowJob[] = [];
  const rows: { row: OrderedRow; sentBefore: number }[] = [];
  const stopping = new AbortController();
  const recentSteps = createRecentSteps(clock);
  const waitOut = createWaitOut({ clock, log: silentLogger });
  const publish = createPublish({ producer: kafka, waitOut, clock, log: silentLogger });
  const writer = createOutcomeWriter({
    publish,
    ...fixtures.createBurying({ publish, clock }),
    topics,
    encodeAttempt,
    recentSteps,
    orderedRows: {
      async write(row, isWanted) {
        if (!isWanted()) throw new AppError('stopped', 'no longer wanted');
        rows.push({ row, sentBefore: kafka.sent.length });
      },
    },
    removeRow: (job) => removed.push(job),
    clock,
    crashPoints,
    signal: stopping.signal,
  });
  return { clock, kafka, removed, rows, stopping, recentSteps, writer };
}

const isDone = (job: Job): boolean =>
  job.from === 'record' && job.claims.every((record) => (record as fixtures.FakeRecord).isDone());

describe('what came of a delivery', () => {
  it('is written as one record, of its event’s key, and then the delivery’s record is done', async () => {
    const { kafka, writer, recentSteps } = createWorld();
    const job = aRecordJob();
    await writer.attempted(job, failed, { status: 'retrying', dueAt: startMicros + 7, notBefore: null });
    expect(kafka.sent.map(({ topic, key }) => [topic, key])).toEqual([[topics['delivery.attempts'], 'evt_1']]);
    expect(kafka.attempts()).toEqual([
      {
        kind: 'attempted',
        tenant: 'acme',
        event_id: 'evt_1',
        generation: 0,
        at: startMicros,
        deliveries: [],
        delivery_id: 'dlv_1',
        endpoint_id: 'ep_1',
        step: 1,
        attempt: 1,
        status: 'retrying',
        created_at: startMicros,
        outcome: 'http_5xx',
        http_status: 500,
        duration_ms: 12,
        detail: 'answered 500',
        response_excerpt: expect.anything() as unknown,
        next_attempt_at: startMicros + 7,
        ordering_key: null,
        request: failed.request,
        response_headers: { server: 'test' },
        timing: failed.timing,
        chunk: null,
      },
    ]);
    expect(isDone(job)).toBe(true);
    expect(recentSteps.has(job.delivery, 1)).toBe(true);
  });

  it('has its dead letter before its record: the delivery as it stood on its topic, named by its id', async () => {
    const { kafka, writer } = createWorld();
    const job = aRowJob({ orderingKey: 'order-1' }, { step: 4, attempts: 2 });
    await writer.attempted(job, failed, { status: 'dead_lettered', reason: 'retries_exhausted' });
    expect(kafka.sent.map(({ topic }) => topic)).toEqual([topics['dead-letters'], topics['delivery.attempts']]);
    const deadLetter = kafka.sent[0]!;
    const headers = deadLetter.headers as Record<string, string>;
    expect(deadLetter.key).toBe('ep_1');
    expect(parseDelivery(headers, deadLetter.value)).toEqual(job.delivery);
    expect(parseDeadLetter(headers)).toEqual({
      stage: 'dispatcher',
      reason: 'retries_exhausted',
      attempts: 3,
      generation: 0,
      origin: 'dlv_1',
      at: startMicros,
      shortenedFrom: null,
    });
    expect(kafka.attempts()).toMatchObject([
      { step: 4, attempt: 3, status: 'dead_lettered', detail: 'retries_exhausted: answered 500' },
    ]);
  });

  it('counts a parking as a step but not as an attempt', async () => {
    const { kafka, writer } = createWorld();
    await writer.parked(aRowJob({}, { step: 3, attempts: 1 }));
    const nothing = { outcome: null, request: null, response_headers: null, timing: null };
    expect(kafka.attempts()).toMatchObject([{ kind: 'parked', status: 'parked', step: 3, attempt: 1, ...nothing }]);
  });

  it('ends a deleted endpoint’s delivery without a dead letter, and a disabled one’s with', async () => {
    const { kafka, writer } = createWorld();
    await writer.ended(aRecordJob(), { status: 'cancelled', reason: 'endpoint_deleted' });
    expect(kafka.of(topics['dead-letters'])).toEqual([]);
    await writer.ended(aRecordJob(), { status: 'dead_lettered', reason: 'endpoint_disabled' });
    expect(kafka.of(topics['dead-letters'])).toMatchObject([{ headers: { [header.deadLetterAttempts]: '0' } }]);
    expect(kafka.attempts()).toMatchObject([
      { kind: 'ended', status: 'cancelled', detail: 'endpoint_deleted', attempt: 0 },
      { kind: 'ended', status: 'dead_lettered', detail: 'endpoint_disabled', attempt: 0 },
    ]);
  });

  it('is not given up while Kafka is away: nothing is done before it is acknowledged', async () => {
    const { clock, kafka, writer, recentSteps } = createWorld();
    let away = true;
    kafka.answer = () => {
      if (away) throw new AppError('kafka_unavailable', 'away');
    };
    const job = aRecordJob();
    let written = false;
    const writing = writer
      .attempted(job, failed, { status: 'dead_lettered', reason: 'endpoint_gone' })
      .then(() => (written = true));
    for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000);
    expect([written, isDone(job), recentSteps.has(job.delivery, 1)]).toEqual([false, false, false]);
    away = false;
    await clock.advance(5_000);
    await writing;
    expect(kafka.sent.map(({ topic }) => topic)).toEqual([topics['dead-letters'], topics['delivery.attempts']]);
    expect(isDone(job)).toBe(true);
  });

  it('keeps the record of a delivery that is parked until that is acknowledged', async () => {
    const { clock, kafka, writer } = createWorld();
    let away = true;
    kafka.answer = () => {
      if (away) throw new AppError('kafka_unavailable', 'away');
    };
    const job = aRecordJob();
    const parking = writer.parked(job);
    await clock.advance(60_000);
    expect(isDone(job)).toBe(false);
    away = false;
    await clock.advance(5_000);
    await parking;
    expect(isDone(job)).toBe(true);
  });

  it('leaves the delivery undone when the process may wait no longer', async () => {
    const { kafka, stopping, writer } = createWorld();
    kafka.answer = () => {
      throw new AppError('kafka_unavailable', 'away');
    };
    const job = aRecordJob();
    const writing = writer.attempted(job, failed, { status: 'delivered' });
    await settle();
    stopping.abort();
    await expect(writing).rejects.toMatchObject({ code: 'stopped' });
    expect(isDone(job)).toBe(false);
  });

  it('waits for someone to mend a topic that refuses a record, and loses nothing', async () => {
    const { clock, kafka, writer } = createWorld();
    let refusals = 0;
    kafka.answer = () => {
      if ((refusals += 1) <= 2) throw new AppError('data_invalid', 'too large');
    };
    const job = aRecordJob();
    const writing = writer.attempted(job, failed, { status: 'delivered' });
    await clock.advance(30_000);
    await writing;
    expect(isDone(job)).toBe(true);
  });

  it('tells what came of a send without its request and answer, where its topic takes no more', async () => {
    const { kafka, writer } = createWorld();
    kafka.answer = ({ value }) => {
      if (value.length > 600) throw new AppError('data_invalid', 'too large');
    };
    const job = aRecordJob();
    const excerpt = Buffer.alloc(1_000, 'x');
    await writer.attempted(
      job,
      { ...failed, response_excerpt: excerpt },
      { status: 'retrying', dueAt: startMicros, notBefore: null },
    );
    const nothing = { request: null, response_headers: null, response_excerpt: null, timing: null };
    expect(kafka.attempts()).toMatchObject([{ status: 'retrying', http_status: 500, attempt: 1, ...nothing }]);
    expect(isDone(job)).toBe(true);
  });

  it('removes a row only after the record, and ends every record that waits for the delivery', async () => {
    const { kafka, removed, writer } = createWorld();
    const order: string[] = [];
    kafka.answer = () => void order.push(`sent, ${removed.length} removed`);
    const row = aRowJob();
    await writer.attempted(row, failed, { status: 'delivered' });
    expect(order).toEqual(['sent, 0 removed']);
    expect(removed).toEqual([row]);

    const job = aRecordJob();
    job.claims.push(fixtures.aDeliveryRecord(aDelivery(), 9n));
    await writer.attempted(job, failed, { status: 'delivered' });
    expect(isDone(job)).toBe(true);
  });

  it('keeps the row until the record is acknowledged', async () => {
    const { clock, kafka, removed, writer } = createWorld();
    let away = true;
    kafka.answer = () => {
      if (away) throw new AppError('kafka_unavailable', 'away');
    };
    const row = aRowJob();
    const writing = writer.attempted(row, failed, { status: 'delivered' });
    await clock.advance(60_000);
    expect(removed).toEqual([]);
    away = false;
    await clock.advance(5_000);
    await writing;
    expect(removed).toEqual([row]);
  });

  it('buries a record that is no delivery, whole, under its own position', async () => {
    const { kafka, writer } = createWorld();
    const { payload, ...facts } = aDelivery();
    const headers = { ...deliveryHeaders(facts), [header.deliveryId]: '', 'x-other': 'kept' };
    const record = aRecord({ key: Buffer.from([1]), value: payload, headers, partition: 3, offset: 77n });
    await writer.malformed(record, 'header hookline-delivery-id is missing');
    expect(record.isDone()).toBe(true);
    expect(kafka.sent).toMatchObject([
      {
        topic: topics['dead-letters'],
        key: Buffer.from([1]),
        value: payload,
        headers: {
          'x-other': Buffer.from('kept'),
          [header.deadLetterReason]: 'malformed_record',
          [header.deadLetterOrigin]: 'test.deliveries-3-77',
        },
      },
    ]);
  });

  it('passes its crash points in the order of its writes', async () => {
    const passed: string[] = [];
    const { kafka, writer } = createWorld({ reach: (point) => passed.push(`${point} after ${kafka.sent.length}`) });
    await writer.attempted(aRecordJob(), failed, { status: 'dead_lettered', reason: 'endpoint_gone' });
    expect(passed).toEqual([
      'dispatcher.after-dead-letter after 1',
      'dispatcher.after-outcome after 2',
      'dispatcher.before-commit after 2',
    ]);
  });

  it('has its row before its record, where it waits and is in an order, and the row it came from is not removed', async () => {
    const { writer, kafka, rows, removed } = createWorld();
    const order = { key: 'ab'.repeat(16), sequence: 7n, partition: 2 };
    const job = { ...aRowJob({ orderingKey: 'customer-1' }), order };
    await writer.attempted(job, failed, { status: 'retrying', dueAt: startMicros + 5, notBefore: startMicros + 3 });
    await writer.parked({ ...aRecordJob({ id: 'dlv_2', orderingKey: 'customer-1' }), order });
    expect(rows).toMatchObject([
      {
        sentBefore: 0,
        row: {
          deliveryId: 'dlv_1',
          state: 'retrying',
          dueAt: startMicros + 5,
          notBefore: startMicros + 3,
          step: 2,
          attempts: 2,
          order,
        },
      },
      { sentBefore: 1, row: { deliveryId: 'dlv_2', state: 'parked', step: 1, attempts: 0, order, partition: 2 } },
    ]);
    expect(kafka.attempts()).toMatchObject([{ ordering_key: 'customer-1' }, { ordering_key: 'customer-1' }]);
    expect(removed).toEqual([]);

    await writer.attempted({ ...job, step: 3 }, { ...failed, outcome: 'delivered' }, { status: 'delivered' });
    expect(rows).toHaveLength(2);
    expect(removed).toHaveLength(1);
  });

  it('leaves its record undone where its row can’t be written any more', async () => {
    const { writer, kafka } = createWorld();
    const lost = new AbortController();
    lost.abort();
    const job = { ...aRecordJob({ orderingKey: 'k' }, lost.signal), order: { key: 'ab', sequence: 1n, partition: 0 } };
    await expect(writer.parked(job)).rejects.toMatchObject({ code: 'stopped' });
    expect(kafka.sent).toEqual([]);
    expect(isDone(job)).toBe(false);
  });
});
