/**
 * What it costs to encode a batch of records, by libs/kafka and by kafkajs, in turns: `node test/bench/record-batch.ts`. The same records
 * both times: of webhooks as the ingress writes them.
 */
import { createRequire } from 'node:module';
import { encodeRecordBatch } from '../../libs/kafka/record-batch.ts';
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
const byUs = (): Promise<Buffer> => Promise.resolve(encodeRecordBatch(batch, timestampMs));

/** @returns microseconds of processor time a record */
async function turn(encode: () => Promise<Buffer>): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < batchesATurn; i += 1) await encode();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (batchesATurn * records);
}

if (!(await byKafkajs()).equals(await byUs())) throw new Error('they do not encode the same');
const [theirs, ours]: [number[], number[]] = [[], []];
for (let i = 0; i < turns; i += 1) {
  theirs.push(await turn(byKafkajs));
  ours.push(await turn(byUs));
}
const [before, after] = [median(theirs), median(ours)];
console.log(
  `${records} records a batch, ${batch[0]?.value.length} bytes and ${headers.length} headers each; medians of ${turns} turns`,
);
console.log(
  `kafkajs ${before.toFixed(2)} µs a record, libs/kafka ${after.toFixed(2)} µs: ${(before / after).toFixed(1)} times less`,
);
