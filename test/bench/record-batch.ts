/**
 * Measures the cost of encoding and decoding a batch of records in libs/kafka and in kafkajs, in turns: `node test/bench/record-batch.ts`.
 * The records are webhooks as the ingress writes them. kafkajs's records are converted for a handler, as for a compressed batch.
 */
import { createRequire } from 'node:module';
import type { KafkaMessage } from 'kafkajs';
import type { FetchedRecord } from '../../libs/kafka/codec/fetched-record.ts';
import { readRecordBatches } from '../../libs/kafka/codec/read-record-batches.ts';
import { batchRecord, encodeRecordBatch } from '../../libs/kafka/codec/record-batch.ts';
import { ConsumedRecord } from '../../libs/kafka/consuming/consumed-record.ts';
import { median } from './support/median.ts';

interface Encoder {
  buffer: Buffer;
}
const load = createRequire(import.meta.filename);
const { RecordBatch } = load('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch(batch: object): Promise<Encoder>;
};
const Record = load('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => Encoder;

const turns = 15;
const batchesATurn = 20;
const records = 200;
const timestampMs = 1_795_000_000_000;
const headers = Array.from({ length: 15 }, (_, i) => [`header-${i}`, 'v'.repeat(8 + 2 * i)] as const);
const batch = Array.from({ length: records }, () => ({
  key: Buffer.from('src_0123456789abcdef'),
  value: Buffer.alloc(2_048, 7),
  headers,
}));

async function byKafkajs(): Promise<Buffer> {
  const encoded = batch.map(({ key, value }, offsetDelta) => {
    const asBuffers = Object.fromEntries(headers.map(([name, text]) => [name, Buffer.from(text)]));
    return Record({ key, value, headers: asBuffers, offsetDelta, timestampDelta: 0 });
  });
  const times = { firstTimestamp: timestampMs, maxTimestamp: timestampMs };
  return (await RecordBatch({ ...times, records: encoded, lastOffsetDelta: records - 1 })).buffer;
}
const encode = (): Buffer => encodeRecordBatch(batch.map(batchRecord), timestampMs);
const byUs = (): Promise<Buffer> => Promise.resolve(encode());

const decode = load('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (
  decoder: object,
) => Promise<{ records: KafkaMessage[] }>;
const Decoder = load('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => object;

const from = { topic: 't', partition: 0, signal: new AbortController().signal, onDone: () => undefined };

/** As a handler gets it, its headers as text. */
function handed(messages: readonly (KafkaMessage | FetchedRecord)[]): number {
  let bytes = 0;
  for (const message of messages) {
    const record = new ConsumedRecord(from, message);
    bytes += record.value.length + (record.headers[headers[0]?.[0] ?? ''] ?? '').length;
  }
  return bytes;
}
const bytes = encode();
const readByKafkajs = async (): Promise<number> => handed((await decode(new Decoder(bytes))).records);
const readByUs = (): Promise<number> => Promise.resolve(handed(readRecordBatches(bytes) ?? []));

/** @returns microseconds of processor time a record */
async function turn(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < batchesATurn; i += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (batchesATurn * records);
}

async function compare(what: string, byTheirs: () => Promise<unknown>, byOurs: () => Promise<unknown>): Promise<void> {
  const [theirs, ours]: [number[], number[]] = [[], []];
  for (let i = 0; i < turns; i += 1) {
    theirs.push(await turn(byTheirs));
    ours.push(await turn(byOurs));
  }
  const [before, after] = [median(theirs), median(ours)];
  console.log(
    `${what}: kafkajs ${before.toFixed(2)} µs a record, libs/kafka ${after.toFixed(2)} µs: ${(before / after).toFixed(1)} times less`,
  );
}

if (!(await byKafkajs()).equals(await byUs())) throw new Error('they do not encode the same');
if ((await readByKafkajs()) !== (await readByUs())) throw new Error('they do not read the same');
console.log(
  `${records} records a batch, ${batch[0]?.value.length} bytes and ${headers.length} headers each; medians of ${turns} turns`,
);
await compare('encoded', byKafkajs, byUs);
await compare('read', readByKafkajs, readByUs);
