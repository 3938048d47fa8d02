import { createRequire } from 'node:module';
import fc from 'fast-check';
import type { KafkaMessage } from 'kafkajs';
import { FetchedBatch, type FetchedMessage } from '../../../libs/kafka/codec/fetched-batch.ts';
import { FetchedRecord } from '../../../libs/kafka/codec/fetched-record.ts';
import { readRecordBatches } from '../../../libs/kafka/codec/read-record-batches.ts';
import { ConsumedRecord } from '../../../libs/kafka/consuming/consumed-record.ts';
import { withChecksum } from './broken-batches.ts';
import { decodeFetchResponse } from '../../../libs/kafka/kafkajs-patches/fetch-response.ts';

const from = { topic: 't', partition: 0, signal: new AbortController().signal, onDone: () => undefined };

interface Encoder {
  buffer: Buffer;
}
interface Response {
  responses: { topicName: string; partitions: { messages: (KafkaMessage | FetchedRecord)[] }[] }[];
}
const load = createRequire(import.meta.url);
const { RecordBatch } = load('kafkajs/src/protocol/recordBatch/v0/index.js') as {
  RecordBatch(batch: object): Promise<Encoder>;
};
const Record = load('kafkajs/src/protocol/recordBatch/record/v0/index.js') as (record: object) => Encoder;
const theirs = loadAnew<{ decode(bytes: Buffer): Promise<Response> }>(
  'kafkajs/src/protocol/requests/fetch/v11/response.js',
).decode;

/** As kafkajs has it: another test of the same process may have loaded and patched it. */
function loadAnew<Module>(name: string): Module {
  const path = load.resolve(name);
  const { [path]: known } = load.cache;
  delete load.cache[path];
  const anew = load(path) as Module;
  if (known !== undefined) load.cache[path] = known;
  return anew;
}

interface Given {
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, unknown>;
  timestampDelta: number;
}
interface GivenBatch {
  records: Given[];
  firstOffset?: number;
  compression?: number;
  transactional?: boolean;
}

const firstTimestamp = 1_795_000_000_123;
const maxTimestamp = firstTimestamp + 99_999;

async function batchOf({
  records,
  firstOffset = 0,
  compression = 0,
  transactional = false,
}: GivenBatch): Promise<Buffer> {
  const encoded = records.map((record, offsetDelta) => Record({ ...record, offsetDelta }));
  const { buffer } = await RecordBatch({
    records: encoded,
    firstTimestamp,
    maxTimestamp,
    compression,
    transactional,
    producerId: 42,
    lastOffsetDelta: records.length - 1,
  });
  buffer.writeBigInt64BE(BigInt(firstOffset), 0);
  return buffer;
}

/** One partition of one topic. */
function responseOf(recordSet: Buffer, aborted: readonly [producerId: bigint, firstOffset: bigint][] = []): Buffer {
  const numbers = Buffer.alloc(10 + 4 + 2 + 5 + 4 + 4 + 2 + 24 + 4 + 16 * aborted.length + 4 + 4);
  let at = numbers.writeInt32BE(7, 0);
  at = numbers.writeInt16BE(0, at);
  at = numbers.writeInt32BE(-3, at);
  at = numbers.writeInt32BE(1, at);
  at = numbers.writeInt16BE(5, at);
  at += numbers.write('topic', at);
  at = numbers.writeInt32BE(1, at);
  at = numbers.writeInt32BE(4, at);
  at = numbers.writeInt16BE(1, at);
  for (const offset of [2n ** 40n, 2n ** 39n, 3n]) at = numbers.writeBigInt64BE(offset, at);
  at = numbers.writeInt32BE(aborted.length || -1, at);
  for (const number of aborted.flat()) at = numbers.writeBigInt64BE(number, at);
  at = numbers.writeInt32BE(-1, at);
  numbers.writeInt32BE(recordSet.length, at);
  return Buffer.concat([numbers, recordSet]);
}

const messagesIn = ({ responses }: Response): (KafkaMessage | FetchedRecord)[] =>
  responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages));

/** The fields that a handler gets to see, and that kafkajs looks at. */
function seen(message: KafkaMessage | FetchedRecord): object {
  const { offset, timestamp } = message;
  const record = new ConsumedRecord(from, message);
  const { key, value, headers, rawHeaders } = record;
  const plain = { key: message.key, value: message.value, headers: message.headers };
  const { isControlRecord, batchContext } = message as FetchedRecord;
  const { producerId, inTransaction } = batchContext;
  return { plain, offset, timestamp, key, value, headers, rawHeaders, isControlRecord, producerId, inTransaction };
}

async function expectTheSame(bytes: Buffer): Promise<void> {
  const ours = decodeFetchResponse(bytes) as unknown as Response;
  const expected = await theirs(bytes);
  expect(messagesIn(ours).map(seen)).toEqual(messagesIn(expected).map(seen));
  const withoutMessages = (response: Response): string =>
    JSON.stringify(response, (name, value: unknown) => (name === 'messages' ? undefined : value));
  expect(withoutMessages(ours)).toBe(withoutMessages(expected));
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const nullable = (maxLength: number) => fc.option(bytes(maxLength), { nil: null });
const name = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((given) => !(given in {}));
const headers = fc.dictionary(name, fc.oneof(bytes(100), fc.array(bytes(50), { minLength: 2, maxLength: 3 })));
const record = fc.record({
  key: nullable(300),
  value: nullable(9_000),
  headers,
  timestampDelta: fc.integer({ min: -9e6, max: 9e12 }),
});
const batch = fc.record({
  records: fc.array(record, { minLength: 1, maxLength: 70 }),
  firstOffset: fc.integer({ min: 0, max: 2 ** 45 }),
  transactional: fc.boolean(),
});
const plain: Given = { key: null, value: Buffer.from('a'), headers: {}, timestampDelta: 0 };

test('what is fetched is what kafkajs reads from the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { maxLength: 4 }), async (batches) => {
      await expectTheSame(responseOf(Buffer.concat(await Promise.all(batches.map(batchOf)))));
    }),
    { numRuns: 60 },
  );
});

test('a batch that the limit of the response has cut off is left for the next', async () => {
  const [first, second] = [
    await batchOf({ records: [plain] }),
    await batchOf({ records: [plain, plain], firstOffset: 1 }),
  ];
  for (let cut = 1; cut < second.length; cut += 1) {
    const recordSet = Buffer.concat([first, second.subarray(0, second.length - cut)]);
    expect(readRecordBatches(recordSet).map(({ offset }) => offset)).toEqual(['0']);
    await expectTheSame(responseOf(recordSet));
  }
});

test('records that say when they were appended, and those that control transactions, are known as such', async () => {
  const attributesAt = 21;
  for (const attributes of [0x08, 0x10, 0x30]) {
    const recordSet = await batchOf({ records: [{ ...plain, key: Buffer.from([0, 0, 0, 0]), timestampDelta: 5 }] });
    recordSet.writeInt16BE(attributes, attributesAt);
    await expectTheSame(
      responseOf(withChecksum(recordSet), [
        [42n, 0n],
        [7n, 9n],
      ]),
    );
  }
  const control = await batchOf({ records: [{ ...plain, key: Buffer.from([0, 0, 0, 1]) }] });
  control.writeInt16BE(0x30, attributesAt);
  expect(readRecordBatches(withChecksum(control))).toMatchObject([
    { key: Buffer.from([0, 0, 0, 1]), isControlRecord: true },
  ]);
});

test('a batch without records, as compaction leaves it, and a response without batches have none', async () => {
  const emptied = (await batchOf({ records: [plain] })).subarray(0, 61);
  emptied.writeInt32BE(49, 8);
  emptied.writeInt32BE(0, 57);
  await expectTheSame(responseOf(withChecksum(emptied)));
  await expectTheSame(responseOf(Buffer.alloc(0)));
});

/** The records of everything that was fetched, opened. */
const opened = (found: readonly FetchedMessage[]): FetchedRecord[] =>
  found.flatMap((message) => {
    if (message instanceof FetchedRecord) return message;
    const result = message.open(1_000_000);
    if ('problem' in result) throw new Error(result.problem);
    return result.records;
  });

test('a compressed batch is one message until it is opened, and then has the records that kafkajs reads', async () => {
  const gzip = 1;
  await fc.assert(
    fc.asyncProperty(batch, async (given) => {
      const compressed = await batchOf({ ...given, compression: gzip });
      const found = readRecordBatches(compressed);
      const last = given.firstOffset + given.records.length - 1;
      expect(found).toMatchObject([{ offset: String(last), compression: 'gzip', isControlRecord: false }]);
      expect(found[0]).toBeInstanceOf(FetchedBatch);
      expect(opened(found).map(seen)).toEqual(messagesIn(await theirs(responseOf(compressed))).map(seen));
    }),
    { numRuns: 30 },
  );
});

test('a record that says that it is longer than its batch makes that batch undecodable, and no other', async () => {
  const broken = await batchOf({ records: [plain] });
  broken[61] = 0x7e;
  const next = await batchOf({ records: [plain], firstOffset: 1 });
  const [first, second] = messagesIn(
    decodeFetchResponse(responseOf(Buffer.concat([withChecksum(broken), next]))) as unknown as Response,
  );
  expect((first as unknown as FetchedBatch).open(1_000)).toEqual({
    problem: expect.stringContaining('has a broken record') as string,
  });
  expect(second).toBeInstanceOf(FetchedRecord);
});

/** An answer about one partition. @param preferredReplica the one that it is to be read from; -1: this one */
function answerOf(recordSet: Buffer, { errorCode = 0, preferredReplica = -1 } = {}): Buffer {
  const response = responseOf(recordSet);
  response.writeInt16BE(errorCode, 29);
  response.writeInt32BE(preferredReplica, response.length - recordSet.length - 8);
  return response;
}

test('kafkajs gets no batch of a partition that has nothing to tell, for each costs as much as some records', async () => {
  const cutOff = (await batchOf({ records: [plain] })).subarray(0, -1);
  for (const nothing of [Buffer.alloc(0), cutOff]) expect(decodeFetchResponse(answerOf(nothing)).responses).toEqual([]);
  const told = [
    answerOf(await batchOf({ records: [plain] })),
    answerOf(Buffer.alloc(0), { errorCode: 1 }),
    answerOf(Buffer.alloc(0), { preferredReplica: 2 }),
  ];
  for (const response of told)
    expect(decodeFetchResponse(response).responses).toMatchObject([
      { topicName: 'topic', partitions: [{ partition: 4 }] },
    ]);
});

test('a header may be called as what every object has', async () => {
  for (const odd of ['constructor', 'toString', '__proto__', 'hasOwnProperty', '7']) {
    const pair = Object.fromEntries([[odd, [Buffer.from('a'), Buffer.from('b')]]]);
    const [message] = readRecordBatches(await batchOf({ records: [{ ...plain, headers: pair }] }));
    const read = new ConsumedRecord(from, message as FetchedRecord);
    expect(Object.entries(read.rawHeaders)).toEqual([[odd, [Buffer.from('a'), Buffer.from('b')]]]);
    expect(Object.entries(read.headers)).toEqual([[odd, 'b']]);
  }
});
