import { partitionOf } from '#lib/kafka';
import { AppError } from '#lib/runtime';
import type { PartitionSender } from '../../../libs/kafka/producing/partition-sender.ts';
import { createTopicSender } from '../../../libs/kafka/producing/topic-sender.ts';
import { sentRecord } from './fixtures.ts';

interface FakeSender extends PartitionSender {
  records: string[];
  cutBatch(): void;
  fails: boolean;
  isOwn: boolean;
  waiting: number;
  slowForMs: number;
}

function setUp(layout: number[] | undefined, random = 0) {
  const senders: FakeSender[] = [];
  const fake = (partition: number, onBatchCut: () => void = () => undefined): FakeSender =>
    (senders[partition] ??= {
      records: [],
      fails: false,
      isOwn: false,
      waiting: 0,
      slowForMs: 0,
      cutBatch: onBatchCut,
      add: (record) => senders[partition]?.records.push(String(record.value)),
      load: () => 0,
      holdsFullBatch: () => (senders[partition]?.records.length ?? 0) % 3 === 0,
      failing: () => senders[partition]?.fails ?? false,
      isAlone: () => senders[partition]?.isOwn ?? false,
      leaderChanged: () => undefined,
      expire: () => Infinity,
      hurry: () => undefined,
    });
  const topic = createTopicSender({
    layout,
    random: () => random,
    laneOf: (partition) => ({
      load: () => senders[partition]?.waiting ?? 0,
    }),
    slowForMs: (partition) => senders[partition]?.slowForMs ?? 0,
    createPartitionSender: (partition, onBatchCut) => {
      const sender = fake(partition);
      sender.cutBatch = onBatchCut;
      return sender;
    },
  });
  const send = (value: string, key: string | null = null) => {
    const record = sentRecord(value, { key });
    topic.add(record.pending);
    return record;
  };
  return { topic, senders, fake, send };
}

test('a record with a key goes where its key belongs', () => {
  const { senders, send } = setUp([1, 2, 3, 1]);
  for (const key of ['a', 'b', 'c', 'd', 'e']) send(key, key);
  for (const [partition, { records }] of senders.entries().filter(([, sender]) => sender !== undefined)) {
    expect(records.map((key) => partitionOf(key, 4))).toEqual(records.map(() => partition));
  }
  expect(senders.flatMap(({ records }) => records)).toHaveLength(5);
});

test('records without a key share a partition until its batch is cut', () => {
  const { senders, send } = setUp([1, 2, 3], 0.5);
  send('a');
  send('b');
  expect(senders[1]?.records).toEqual(['a', 'b']);
  if (senders[1] !== undefined) senders[1].waiting = 1;
  senders[1]?.cutBatch();
  send('c');
  expect(senders[2]?.records).toEqual(['c']);
});

test('records without a key leave a partition whose batch is full', () => {
  const { senders, fake, send } = setUp([1, 2, 3]);
  fake(0);
  for (const value of 'abc') send(value);
  fake(0).waiting = 1;
  send('d');
  expect(senders.map(({ records }) => records.join(''))).toEqual(['abc', 'd']);
});

/** Gives every partition a record with a key, so that its sender is there. */
function visitAll({ senders, send }: ReturnType<typeof setUp>, partitions: number): void {
  for (let i = 0; senders.filter(Boolean).length < partitions; i += 1) send('visit', `key-${i}`);
  for (const sender of senders) sender.records = [];
}

test('records without a key avoid partitions that fail, lag, have no leader, or whose leader takes long to answer', () => {
  const topic = setUp([1, -1, 2, 3, 4]);
  const { senders, fake, send } = topic;
  visitAll(topic, 5);
  fake(4).isOwn = true;
  fake(0).fails = true;
  fake(2).slowForMs = 201;
  // Busy, but well.
  fake(3).waiting = 3;
  send('a');
  expect(senders[3]?.records).toEqual(['a']);
});

test('where every leader is slow, records without a key go to the one that paused last, however much waits for it', () => {
  const topic = setUp([1, 2]);
  const { senders, fake, send } = topic;
  visitAll(topic, 2);
  Object.assign(fake(0), { slowForMs: 2_000 });
  Object.assign(fake(1), { slowForMs: 250, waiting: 20 });
  send('a');
  expect(senders[1]?.records).toEqual(['a']);
});

test('where every partition fails, records without a key still go to one', () => {
  const topic = setUp([1, 2]);
  const { senders, fake, send } = topic;
  visitAll(topic, 2);
  fake(0).fails = true;
  fake(1).fails = true;
  send('a');
  expect(senders.flatMap(({ records }) => records)).toEqual(['a']);
});

test('what comes before the partitions are known waits, in order, and can expire', async () => {
  const { topic, senders, send } = setUp(undefined);
  const records = [...'ab'].map((value) => send(value, 'key'));
  topic.expire(0, () => new AppError('kafka_unavailable', 'late'));
  topic.layoutChanged([1]);
  send('c', 'key');
  expect(senders[0]?.records).toEqual(['a', 'b', 'c']);
  expect(records.map((record) => record.end())).toEqual([undefined, undefined]);

  const other = setUp(undefined);
  const late = other.send('late');
  other.topic.expire(late.pending.expiresAtMs, () => new AppError('kafka_unavailable', 'late'));
  other.topic.layoutChanged([1]);
  await Promise.resolve();
  expect(late.end()).toBe('kafka_unavailable');
  expect(other.senders).toEqual([]);
});
