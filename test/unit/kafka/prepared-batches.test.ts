import { createRequire } from 'node:module';
import type { Message } from 'kafkajs';
import { acceptPreparedBatches, preparedMessage } from '../../../libs/kafka/prepared-batches.ts';
import { batchRecord, encodeRecordBatch } from '../../../libs/kafka/record-batch.ts';

interface Exchange {
  request: { apiVersion: number; encode(): Promise<{ buffer: Buffer }> };
}
const load = createRequire(__filename);
const produceRequests = load('kafkajs/src/protocol/requests/produce/index.js') as {
  protocol(choice: { version: number }): (given: object) => Exchange;
};
const encodedBy = async (topicData: object[], version = 7): Promise<Buffer> =>
  (await produceRequests.protocol({ version })({ acks: -1, timeout: 9_600, topicData }).request.encode()).buffer;
const dataOf = (...messages: Message[]): object[] => [{ topic: 'tópic', partitions: [{ partition: 3, messages }] }];

const nowMs = 1_795_000_000_123;
const value = Buffer.from('what is sent');
const encoded = encodeRecordBatch([batchRecord({ key: null, value, headers: [['name', 'text']] })], nowMs);

beforeAll(() => {
  jest.useFakeTimers({ now: nowMs });
  acceptPreparedBatches();
  acceptPreparedBatches();
});
afterAll(() => jest.useRealTimers());

test('a request with a prepared batch is the one that kafkajs would have sent', async () => {
  for (const version of [3, 5, 7]) {
    const theirs = await encodedBy(dataOf({ partition: 3, key: null, value, headers: { name: 'text' } }), version);
    const ours = await encodedBy(dataOf(preparedMessage(3, encoded)), version);
    expect(ours.equals(theirs)).toBe(true);
  }
});

test('a prepared batch goes alone, and to brokers that know its format', async () => {
  const one = preparedMessage(3, encoded);
  await expect(encodedBy(dataOf(one, one))).rejects.toThrow('a request of its own');
  await expect(encodedBy(dataOf({ value: 'plain' }, one))).rejects.toThrow('a request of its own');
  await expect(encodedBy(dataOf(one), 2)).rejects.toThrow('version 2');
});
