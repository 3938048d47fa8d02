import { Kafka, logLevel } from 'kafkajs';
import { createConsumer, createProducer, createTopics, readBatchAgain, type UndecodableBatch } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { compressions } from '../../../libs/kafka/codec/compression/compression.ts';
import { batchRecord, encodeRecordBatch } from '../../../libs/kafka/codec/record-batch.ts';
import { alterFetches, flipByte, recordsAt, renameCodec, spoil } from '../../support/altered-fetches.ts';
import { inTime } from '../../support/kafka-conformance/in-time.ts';
import { consumerOptions, producerOptions, runningParts } from '../../support/kafka-conformance/setup.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

// Topics whose batches are compressed, by their brokers or by those who write to them, and batches that can't be decoded.

const run = runningParts();
const prefix = uniquePrefix('compressed');
const brokers = () => serverAddresses().kafkaBrokers;
const fetches = alterFetches();
let admin: ReturnType<Kafka['admin']>;
const plain = () => new Kafka({ brokers: brokers(), clientId: 'plain', logLevel: logLevel.NOTHING });

beforeAll(async () => {
  admin = plain().admin();
  await admin.connect();
});
afterAll(async () => {
  fetches.restore();
  await admin.disconnect();
});
afterEach(() => fetches.mend());

async function createTopic(name: string, compressionType: string): Promise<string> {
  const topic = `${prefix}${name}`;
  const config = { 'compression.type': compressionType, 'max.message.bytes': '2097152' };
  const definition = { name: topic, partitions: 1, replicationFactor: 1, config };
  await createTopics({ brokers: brokers() }, [definition], { clock: systemClock, log: silentLogger });
  return topic;
}

interface Reading {
  values: string[];
  readAtMs: Map<string, number>;
  undecodable: UndecodableBatch[];
}

async function readFrom(
  topics: readonly string[],
  more: { isKept?: boolean; maxDecompressedBytes?: number } = {},
): Promise<Reading> {
  const { isKept = true, ...options } = more;
  const reading: Reading = { values: [], readAtMs: new Map(), undecodable: [] };
  await run(
    createConsumer(
      consumerOptions({
        brokers: brokers(),
        groupId: `${topics[0]}-group`,
        topics,
        commitIntervalMs: 50,
        ...options,
        handle: async (records) => {
          for (const record of records) {
            reading.values.push(String(record.value));
            reading.readAtMs.set(String(record.value), performance.now());
            record.done();
          }
        },
        onUndecodable: async (batch) => {
          reading.undecodable.push(batch);
          if (isKept) batch.done();
        },
      }),
    ),
  );
  return reading;
}

const committed = async (topic: string): Promise<number> => {
  const [found] = await admin.fetchOffsets({ groupId: `${topic}-group`, topics: [topic] });
  return Number(found?.partitions[0]?.offset);
};

const codecs = compressions.filter((name) => name !== 'none');
const valuesOf = (name: string): string[] => Array.from({ length: 3 }, (_, n) => `${name} ${n} `.repeat(50));
/** The records of a batch as they stand on the topic: whatever else a broker writes into it, it leaves them alone. */
const storedRecords = (values: readonly string[], compression: (typeof compressions)[number]): Buffer =>
  encodeRecordBatch(
    values.map((value) => batchRecord({ key: null, value: Buffer.from(value), headers: [] })),
    0,
    compression,
  ).subarray(recordsAt);

async function produce(topic: string, compression: (typeof compressions)[number], values: readonly string[]) {
  const producer = await run(createProducer(producerOptions(brokers(), { topics: [topic], compression })));
  await Promise.all(values.map((value) => producer.send({ topic, key: null, value: Buffer.from(value), headers: {} })));
}

test('what brokers have compressed is read in every codec, and so is what our producer has compressed', async () => {
  const theirs = (name: string) => Array.from({ length: 200 }, (_, n) => `theirs ${name} ${n} `.repeat(40));
  const topics = await Promise.all(codecs.map((name) => createTopic(name, name)));
  const writer = plain().producer();
  await writer.connect();
  for (const [index, name] of codecs.entries()) {
    const topic = topics[index] ?? '';
    await writer.send({ topic, messages: theirs(name).map((value) => ({ value })) });
    await produce(topic, name, valuesOf(name));
  }
  await writer.disconnect();

  const reading = await readFrom(topics);
  await waitUntil('all is read', () => reading.values.length === 4 * 203, inTime);
  expect(reading.values.toSorted()).toEqual(codecs.flatMap((name) => [...theirs(name), ...valuesOf(name)]).toSorted());
  expect(reading.undecodable).toEqual([]);
});

test('a broken batch of each codec is handed over with its offsets; what follows is handled within a second; mended, it is sound', async () => {
  const topic = await createTopic('broken', 'producer');
  for (const name of compressions) {
    await produce(topic, name, valuesOf(`sound ${name}`));
    await produce(topic, name, valuesOf(`broken ${name}`));
    fetches.alter(storedRecords(valuesOf(`broken ${name}`), name), name === 'none' ? flipByte : spoil);
  }
  await produce(topic, 'none', ['after']);

  const reading = await readFrom([topic], { isKept: false });
  await waitUntil('what follows is read', () => reading.values.includes('after'), inTime);
  expect(reading.values).toEqual([...compressions.flatMap((name) => valuesOf(`sound ${name}`)), 'after']);
  expect(reading.undecodable).toMatchObject(
    compressions.map((name, n) => ({
      topic,
      partition: 0,
      compression: name,
      firstOffset: BigInt(6 * n + 3),
      lastOffset: BigInt(6 * n + 5),
    })),
  );
  const times = [...reading.readAtMs.values()];
  expect(Math.max(...times.slice(1).map((at, n) => at - (times[n] ?? 0)))).toBeLessThan(1_000);

  // Nothing is committed beyond the first of them before that is kept.
  await waitUntil('what is before it is committed', async () => (await committed(topic)) === 3, inTime);
  for (const batch of reading.undecodable.slice(1)) batch.done();
  const commits = await waitUntil('they had their time', async () => [await committed(topic)], inTime);
  expect(commits).toEqual([3]);
  reading.undecodable[0]?.done();
  await waitUntil('all is committed', async () => (await committed(topic)) === 31, inTime);

  const options = {
    brokers: brokers(),
    clientId: 'again',
    clock: systemClock,
    log: silentLogger,
    maxDecompressedBytes: 1_000_000,
  };
  const [, batch] = reading.undecodable as [UndecodableBatch, UndecodableBatch];
  expect(await readBatchAgain(batch, options)).toEqual({ problem: expect.any(String) as string });
  fetches.mend();
  const mended = await readBatchAgain(batch, options);
  expect('records' in mended && mended.records.map(({ offset, value }) => [offset, String(value)])).toEqual(
    valuesOf('broken gzip').map((value, n) => [BigInt(9 + n), value]),
  );
  const gone = { ...batch, firstOffset: 1_000n, lastOffset: 1_002n };
  expect(await readBatchAgain(gone, options)).toEqual({ problem: expect.stringContaining('offset') as string });
});

test('a bomb, and a batch of a codec that nobody knows, are handed over; one that breaks on its way is read again', async () => {
  const topic = await createTopic('bombs', 'producer');
  const bomb = 'a'.repeat(900_000);
  for (const name of codecs) await produce(topic, name, [bomb]);
  await produce(topic, 'zstd', valuesOf('unknown'));
  await produce(topic, 'zstd', valuesOf('once'));
  fetches.alter(storedRecords(valuesOf('unknown'), 'zstd'), renameCodec);
  let times = 0;
  fetches.alter(storedRecords(valuesOf('once'), 'zstd'), (batch) => void ((times += 1) === 1 && flipByte(batch)));

  const reading = await readFrom([topic], { maxDecompressedBytes: 100_000 });
  await waitUntil('all is read', () => reading.values.length === 3, inTime);
  expect(reading.values).toEqual(valuesOf('once'));
  expect(
    reading.undecodable.map(({ firstOffset, lastOffset, compression }) => [firstOffset, lastOffset, compression]),
  ).toEqual([...codecs.map((name, n) => [BigInt(n), BigInt(n), name]), [4n, 6n, 'codec 6']]);
  for (const { problem } of reading.undecodable.slice(0, 4))
    expect(problem).toBe('has more than 100000 bytes when it is decompressed');
  expect(times).toBeGreaterThan(1);
});

test('an aborted transaction is left out, compressed or broken, and what was committed after it is read', async () => {
  const topic = await createTopic('transactions', 'producer');
  const producer = plain().producer({ transactionalId: `${topic}-id`, maxInFlightRequests: 1, idempotent: true });
  await producer.connect();
  const gzip = 1;
  const send = async (value: string, end: 'commit' | 'abort'): Promise<void> => {
    const transaction = await producer.transaction();
    await transaction.send({ topic, compression: gzip, messages: [{ value }, { value }] });
    await transaction[end]();
  };
  await send('aborted', 'abort');
  await send('committed', 'commit');
  await send('aborted too', 'abort');
  await producer.disconnect();
  await produce(topic, 'lz4', valuesOf('after'));

  const reading = await readFrom([topic]);
  await waitUntil('all is read', () => reading.values.length >= 5, inTime);
  expect(reading.values).toEqual(['committed', 'committed', ...valuesOf('after')]);
  expect(reading.undecodable).toEqual([]);
});
