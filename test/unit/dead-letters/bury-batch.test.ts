import { header, type HeaderText, noTenant, parseDeadLetter, parseUndecodableBatch } from '#lib/contract';
import { createBury, createBuryBatch, deadLetterCounter, type DiedRecord } from '#lib/dead-letters';
import type { OutgoingRecord, UndecodableBatch } from '#lib/kafka';
import { AppError, createManualClock, createWaitOut, isAppError, silentLogger } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { seriesOf } from '../../support/series.ts';

function createHarness(maxBytes = 1_000_000) {
  const sent: OutgoingRecord[] = [];
  const kept: DiedRecord[] = [];
  const lines: { event?: string }[] = [];
  const metrics = new Metrics();
  const clock = createManualClock(1_700_000_000_000);
  const log = { ...silentLogger, error: (line: object) => void lines.push(line) };
  const kafka = { isAway: false };
  const bury = createBury({
    producer: {
      async send(record) {
        if (kafka.isAway) throw new AppError('kafka_unavailable', 'away');
        if (record.value.length > maxBytes) throw new AppError('data_invalid', 'too large');
        sent.push(record);
        return { topic: record.topic, partition: 0, offset: 0n };
      },
    },
    topic: 'p.dead-letters',
    keep: async (died) => void kept.push(died),
    counter: deadLetterCounter('Dead letters', ['dedup']),
    waitOut: createWaitOut({ clock, log: silentLogger }),
    clock,
    log,
    metrics,
  });
  return { buryBatch: createBuryBatch({ bury, stage: 'dedup', log }), sent, kept, lines, metrics, clock, kafka };
}

function aBatch(topic = 'p.webhooks.received') {
  const lost = new AbortController();
  let doneCount = 0;
  const batch: UndecodableBatch = {
    topic,
    partition: 3,
    firstOffset: 9_007_199_254_740_993n,
    lastOffset: 9_007_199_254_740_999n,
    compression: 'lz4',
    problem: 'is damaged',
    value: Buffer.alloc(5_000, 1),
    signal: lost.signal,
    done: () => void (doneCount += 1),
  };
  return { batch, lost, doneCount: () => doneCount };
}

const textOf = ({ headers }: OutgoingRecord | DiedRecord): HeaderText =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test('the dead letter of a batch has all of its bytes, and names topic, partition and every offset', async () => {
  const { buryBatch, sent, lines, metrics } = createHarness();
  const { batch, doneCount } = aBatch();
  await buryBatch(batch);
  expect(sent).toMatchObject([{ topic: 'p.dead-letters', key: null, value: batch.value }]);
  const headers = textOf(sent[0] as OutgoingRecord);
  const { topic, partition, firstOffset, lastOffset, compression, problem } = batch;
  expect(parseUndecodableBatch(headers)).toEqual({ topic, partition, firstOffset, lastOffset, compression, problem });
  expect(headers[header.deadLetterOffsets]).toBe('9007199254740993-9007199254740999');
  expect(headers[header.tenant]).toBe(noTenant);
  expect(parseDeadLetter(headers)).toMatchObject({
    stage: 'dedup',
    reason: 'undecodable_batch',
    attempts: 2,
    origin: 'p.webhooks.received-3-9007199254740993..9007199254740999',
  });
  expect(doneCount()).toBe(1);
  expect(lines).toMatchObject([{ event: 'batch.dead_lettered', topic, partition, problem: 'the batch is damaged' }]);
  expect((await seriesOf(metrics, 'hookline_dead_letters_total'))['stage="dedup",reason="undecodable_batch"']).toBe(1);
});

test('a batch that is too large for the topic is kept whole in Postgres, for a part of it is of no use', async () => {
  const { buryBatch, sent, kept, lines } = createHarness(4_999);
  const { batch, doneCount } = aBatch();
  await buryBatch(batch);
  expect([sent, doneCount()]).toEqual([[], 1]);
  expect(kept).toMatchObject([{ value: batch.value }]);
  expect(lines[0]).toMatchObject({ event: 'dead_letter.refused', keptAs: 'in_postgres' });
});

test('a batch of dead letters goes to Postgres: on its topic it might become undecodable again, for ever', async () => {
  const { buryBatch, sent, kept, lines } = createHarness();
  const { batch, doneCount } = aBatch('p.dead-letters');
  await buryBatch(batch);
  expect([sent, doneCount()]).toEqual([[], 1]);
  expect(kept).toMatchObject([{ value: batch.value }]);
  expect(lines.map(({ event }) => event)).toEqual(['batch.dead_lettered']);
});

test('the batch is done only when its dead letter is durable', async () => {
  const { buryBatch, kafka, clock, sent } = createHarness();
  const { batch, doneCount } = aBatch();
  kafka.isAway = true;
  const burying = buryBatch(batch);
  await clock.advance(60_000);
  expect(doneCount()).toBe(0);
  kafka.isAway = false;
  await clock.advance(60_000);
  await burying;
  expect([sent.length, doneCount()]).toEqual([1, 1]);
});

test('a partition that was lost leaves its batch undone', async () => {
  const { buryBatch, kafka, clock } = createHarness();
  const { batch, lost, doneCount } = aBatch();
  kafka.isAway = true;
  const burying = buryBatch(batch).then(
    () => 'kept',
    (error: unknown) => isAppError(error, 'stopped') && 'stopped',
  );
  await clock.advance(1_000);
  lost.abort();
  await clock.advance(60_000);
  expect([await burying, doneCount()]).toEqual(['stopped', 0]);
});
