import { createRequire } from 'node:module';
import { ByteReader } from '../../../libs/kafka/codec/wire-types.ts';
import { metadataBody, readMetadataResponse } from '../../../libs/kafka/codec/metadata-request.ts';
import { produceBody, readProduceResponse } from '../../../libs/kafka/codec/produce-request.ts';
import { batchRecord, encodeRecordBatch } from '../../../libs/kafka/codec/record-batch.ts';

const load = createRequire(import.meta.url);
const Encoder = load('kafkajs/src/protocol/encoder.js') as new () => TheirEncoder;
interface TheirEncoder {
  buffer: Buffer;
  writeInt8(value: number): this;
  writeInt16(value: number): this;
  writeInt32(value: number): this;
  writeInt64(value: number): this;
  writeString(value: string | null): this;
  writeArray(values: unknown[]): this;
}
type Request = (given: object) => { encode(): Promise<{ buffer: Buffer }> };
const theirProduce = load('kafkajs/src/protocol/requests/produce/v7/request.js') as Request;
const theirMetadata = load('kafkajs/src/protocol/requests/metadata/v4/request.js') as Request;

const nowMs = 1_795_000_000_123;
const value = Buffer.from('what is sent');
const encoded = encodeRecordBatch([batchRecord({ key: null, value, headers: [['name', 'text']] })], nowMs);

beforeAll(() => jest.useFakeTimers({ now: nowMs }));
afterAll(() => jest.useRealTimers());

test('a produce request with several partitions of several topics is the one that kafkajs would have sent', async () => {
  const messages = [{ key: null, value, headers: { name: 'text' } }];
  const topicData = [
    { topic: 'tópic', partitions: [3, 0].map((partition) => ({ partition, messages })) },
    { topic: 'other', partitions: [{ partition: 1, messages }] },
  ];
  const theirs = await theirProduce({ acks: -1, timeout: 9_600, topicData, producerId: -1, producerEpoch: 0 }).encode();
  const batches = [
    { topic: 'tópic', partition: 3, bytes: encoded },
    { topic: 'other', partition: 1, bytes: encoded },
    { topic: 'tópic', partition: 0, bytes: encoded },
  ];
  expect(produceBody(batches, 9_600).equals(theirs.buffer)).toBe(true);
});

test('a produce response says of each partition what became of it', () => {
  const partition = (id: number, errorCode: number, baseOffset: number): TheirEncoder =>
    new Encoder().writeInt32(id).writeInt16(errorCode).writeInt64(baseOffset).writeInt64(-1).writeInt64(0);
  const topic = (name: string, partitions: TheirEncoder[]): TheirEncoder =>
    new Encoder().writeString(name).writeArray(partitions);
  const { buffer } = new Encoder()
    .writeArray([topic('tópic', [partition(3, 0, 41), partition(0, 10, -1)]), topic('other', [partition(1, 6, -1)])])
    .writeInt32(250);
  expect(readProduceResponse(new ByteReader(buffer))).toEqual({
    answers: [
      { topic: 'tópic', partition: 3, errorCode: 0, baseOffset: 41n },
      { topic: 'tópic', partition: 0, errorCode: 10, baseOffset: -1n },
      { topic: 'other', partition: 1, errorCode: 6, baseOffset: -1n },
    ],
    clientSideThrottleTime: 250,
  });
});

test('topics are asked about as kafkajs asks, and made by nobody', async () => {
  const theirs = await theirMetadata({ topics: ['a', 'tópic'], allowAutoTopicCreation: false }).encode();
  expect(metadataBody(['a', 'tópic']).equals(theirs.buffer)).toBe(true);
});

test('a metadata response with a partition that nobody leads, and a topic that does not exist, is read all the same', () => {
  const partition = (errorCode: number, id: number, leader: number, inSync: number[]): TheirEncoder =>
    new Encoder().writeInt16(errorCode).writeInt32(id).writeInt32(leader).writeArray([1, 2, 3]).writeArray(inSync);
  const broker = (id: number, host: string, rack: string | null): TheirEncoder =>
    new Encoder().writeInt32(id).writeString(host).writeInt32(9092).writeString(rack);
  const topic = (errorCode: number, name: string, partitions: TheirEncoder[]): TheirEncoder =>
    new Encoder().writeInt16(errorCode).writeString(name).writeInt8(0).writeArray(partitions);
  const { buffer } = new Encoder()
    .writeInt32(0)
    .writeArray([broker(1, 'one', null), broker(2, 'two', 'rack')])
    .writeString('cluster')
    .writeInt32(1)
    .writeArray([topic(0, 'a', [partition(0, 1, 2, [2, 3]), partition(5, 0, -1, [])]), topic(3, 'none', [])]);
  expect(readMetadataResponse(new ByteReader(buffer))).toEqual({
    addresses: new Map([
      [1, 'one:9092'],
      [2, 'two:9092'],
    ]),
    topics: [
      {
        name: 'a',
        errorCode: 0,
        partitions: [
          { id: 1, leader: 2, replicas: 3, inSync: 2 },
          { id: 0, leader: -1, replicas: 3, inSync: 0 },
        ],
      },
      { name: 'none', errorCode: 3, partitions: [] },
    ],
    clientSideThrottleTime: 0,
  });
});
