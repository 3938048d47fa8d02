import { type Kafka, KafkaJSProtocolError, type ProducerRecord, type RecordMetadata } from 'kafkajs';
import { createManualClock } from '#lib/clock';
import { silentLogger } from '#lib/log';
import { createProduceLane } from '../../../libs/kafka/produce-lane.ts';
import { batchRecord } from '../../../libs/kafka/record-batch.ts';
import { settle } from './fixtures.ts';

type Send = (record: ProducerRecord) => Promise<RecordMetadata[]>;

const acknowledge: Send = async ({ topic }) => [{ topicName: topic, partition: 0, errorCode: 0, baseOffset: '7' }];
const notLeader: Send = () =>
  Promise.reject(
    new KafkaJSProtocolError(
      Object.assign(new Error('moved'), { type: 'NOT_LEADER_FOR_PARTITION', code: 6, retriable: true }),
    ),
  );
const never: Send = () => new Promise(() => undefined);

/** A lane over connections of which the n-th sends by `sends[n]`, the last of them also for all further ones. */
function setUp(...sends: Send[]) {
  const clock = createManualClock();
  const connections: { open: boolean }[] = [];
  const createClient = () =>
    ({
      producer: () => {
        const connection = { open: false };
        const send = sends[Math.min(connections.length, sends.length - 1)] ?? never;
        connections.push(connection);
        return {
          connect: async () => void (connection.open = true),
          disconnect: async () => void (connection.open = false),
          send,
        };
      },
    }) as unknown as Kafka;
  const lane = createProduceLane({ createClient, clock, log: silentLogger, requestTimeoutMs: 1_000 });
  const outcomes: string[] = [];
  const send = (): Promise<void> =>
    lane.takeTurn(
      async (produce) =>
        void outcomes.push(
          (await produce('t', 0, [batchRecord({ key: null, value: Buffer.from('x'), headers: [] })])).kind,
        ),
    );
  return { lane, clock, connections, outcomes, send };
}

test('one request is in flight at a time, each turn decided when it comes', async () => {
  const answers: (() => void)[] = [];
  const { lane } = setUp((record) => new Promise((resolve) => answers.push(() => resolve(acknowledge(record)))));
  const order: string[] = [];
  const turn = (name: string): Promise<void> =>
    lane.takeTurn(async (produce) => {
      order.push(`${name} begins`);
      await produce('t', 0, []);
      order.push(`${name} ends`);
    });
  const turns = [turn('a'), turn('b')];
  expect(lane.turns()).toBe(2);
  await settle();
  expect([order, answers.length]).toEqual([['a begins'], 1]);
  answers[0]?.();
  await settle();
  answers[1]?.();
  await Promise.all(turns);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  expect(lane.turns()).toBe(0);
});

test('a turn that throws does not stop those after it', async () => {
  const { lane, outcomes, send } = setUp(acknowledge);
  await expect(lane.takeTurn(() => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
  await send();
  expect(outcomes).toEqual(['written']);
});

test('the connection is kept where the broker says what is wrong, and renewed where it says nothing', async () => {
  const kept = setUp(notLeader);
  await kept.send();
  await kept.send();
  expect([kept.outcomes, kept.connections]).toEqual([['unknown', 'unknown'], [{ open: true }]]);

  const renewed = setUp(() => Promise.reject(new Error('timed out')), acknowledge);
  await renewed.send();
  await renewed.send();
  expect(renewed.outcomes).toEqual(['unknown', 'written']);
  expect(renewed.connections).toEqual([{ open: false }, { open: true }]);
});

test('an answer that does not name the partition is no acknowledgment, and the connection is renewed', async () => {
  const { connections, outcomes, send } = setUp(async () => [], acknowledge);
  await send();
  await send();
  expect(outcomes).toEqual(['unknown', 'written']);
  expect(connections).toHaveLength(2);
});

test('a client that never ends a request is given up after twice the request time-out', async () => {
  const { lane, clock, connections, outcomes, send } = setUp(never, acknowledge);
  const sending = send();
  await settle();
  await clock.advance(1_999);
  expect(lane.inFlightMs()).toBe(1_999);
  expect(outcomes).toEqual([]);
  await clock.advance(1);
  await sending;
  await send();
  expect(outcomes).toEqual(['unknown', 'written']);
  expect([connections.length, lane.inFlightMs()]).toEqual([2, 0]);
});
