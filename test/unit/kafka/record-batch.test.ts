import { createRequire } from 'node:module';
import fc from 'fast-check';
import { batchRecord, encodeRecordBatch, type RecordContent } from '../../../libs/kafka/codec/record-batch.ts';

interface Encoder {
  buffer: Buffer;
}
const load = createRequire(import.meta.url);
const { RecordBatch } = load('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch(batch: object): Promise<Encoder>;
};
const Record = load('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => Encoder;
const Decoder = load('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => object;
const decodeBatch = load('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (
  decoder: object,
) => Promise<{ records: { key: Buffer | null; value: Buffer; headers: object; offset: string; timestamp: string }[] }>;

const timestampMs = 1_795_000_000_123;

/** As a producer has it encoded. */
const encode = (records: readonly RecordContent[]): Buffer => encodeRecordBatch(records.map(batchRecord), timestampMs);

/** The same batch as kafkajs builds it. */
async function kafkajsBatch(records: readonly RecordContent[]): Promise<Buffer> {
  const encoded = records.map(({ key, value, headers }, offsetDelta) =>
    Record({ key, value, offsetDelta, timestampDelta: 0, headers: Object.fromEntries(headers) }),
  );
  const times = { firstTimestamp: timestampMs, maxTimestamp: timestampMs };
  return (await RecordBatch({ ...times, records: encoded, lastOffsetDelta: records.length - 1 })).buffer;
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const text = fc.oneof(fc.string({ maxLength: 100 }), fc.string({ unit: 'grapheme', maxLength: 40 }));
// kafkajs takes headers as an object: each name once, and not one of those that every object has.
const name = text.filter((given) => !(given in {}) && !/^\d+$/.test(given));
const headers = fc.uniqueArray(fc.tuple(name, fc.oneof(text, bytes(200))), {
  selector: ([given]) => given,
  maxLength: 20,
});
const record = fc.record({ key: fc.oneof(fc.constant(null), bytes(80)), value: bytes(3_000), headers });

test('a batch is, byte for byte, the one that kafkajs builds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 150 }), async (records) => {
      expect(encode(records).equals(await kafkajsBatch(records))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('lengths at which the number of their bytes changes are right', async () => {
  for (const length of [0, 1, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576]) {
    const records = [
      { key: Buffer.alloc(length, 1), value: Buffer.alloc(length, 2), headers: [['n', Buffer.alloc(length, 3)]] },
    ] as const;
    expect(encode(records).equals(await kafkajsBatch(records))).toBe(true);
  }
});

test('names beyond those that are remembered are right, too', async () => {
  const names = Array.from({ length: 600 }, (_, index) => `name-${index}-é`);
  const records = [{ key: null, value: Buffer.alloc(0), headers: names.map((each) => [each, 'v'] as const) }];
  expect(encode(records).equals(await kafkajsBatch(records))).toBe(true);
  expect(encode(records).equals(await kafkajsBatch(records))).toBe(true);
});

test('a header with several values stands there once for each, in their order', async () => {
  const encoded = encode([
    {
      key: null,
      value: Buffer.from('v'),
      headers: [
        ['a', '1'],
        ['b', 'é'],
        ['a', Buffer.from('2')],
      ],
    },
  ]);
  const { records } = await decodeBatch(new Decoder(encoded));
  expect(records).toMatchObject([
    { key: null, value: Buffer.from('v'), headers: { a: [Buffer.from('1'), Buffer.from('2')], b: Buffer.from('é') } },
  ]);
});
