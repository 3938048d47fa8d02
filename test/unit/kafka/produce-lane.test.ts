import { createManualClock, silentLogger } from '#lib/runtime';
import type { EncodedBatch, PartitionAnswer } from '../../../libs/kafka/codec/produce-request.ts';
import { batchRecord, type BatchRecord } from '../../../libs/kafka/codec/record-batch.ts';
import type { BrokerConnection } from '../../../libs/kafka/producing/broker-connection.ts';
import { createProduceLane, type Sendable } from '../../../libs/kafka/producing/produce-lane.ts';
import { settle } from './fixtures.ts';

type Produce = (batches: readonly EncodedBatch[], timeoutMs: number) => Promise<PartitionAnswer[]>;

const written = ({ topic, partition }: EncodedBatch): PartitionAnswer => ({
  topic,
  partition,
  errorCode: 0,
  baseOffset: 7n,
});
const acknowledge: Produce = async (batches) => batches.map(written);
const never: Produce = () => new Promise(() => undefined);
const fail: Produce = () => Promise.reject(new Error('timed out'));

/** A lane over connections whose n-th answers by `answers[n]`; the last also for all further ones. */
function setUp(...answers: Produce[]) {
  const clock = createManualClock();
  const givenUp: number[] = [];
  const connections: { open: boolean; timeoutsMs: number[] }[] = [];
  const connect = async (): Promise<BrokerConnection> => {
    const connection = { open: true, timeoutsMs: [] as number[] };
    const produce = answers[Math.min(connections.length, answers.length - 1)] ?? never;
    connections.push(connection);
    return {
      isOpen: () => connection.open,
      async produce(batches, timeoutMs) {
        connection.timeoutsMs.push(timeoutMs);
        return produce(batches, timeoutMs);
      },
      metadata: () => Promise.reject(new Error('not asked for')),
      close: async () => void (connection.open = false),
    };
  };
  const lane = createProduceLane({
    connect,
    clock,
    log: silentLogger,
    compression: 'none',
    requestTimeoutMs: 10_000,
    onGivenUp: () => givenUp.push(clock.monotonicMs()),
  });
  const outcomes: string[] = [];
  /** A partition with a waiting batch. */
  const waiting = (partition: number, given: Partial<Sendable> = {}): Sendable => ({
    topic: 't',
    partition,
    dueAtMs: () => Number.NEGATIVE_INFINITY,
    batchBytes: () => 100,
    cut: () => [record],
    requestTimeoutMs: () => 10_000,
    settle: ({ kind }) => void outcomes.push(`${partition} ${kind}`),
    lookElsewhere: () => void outcomes.push(`${partition} elsewhere`),
    ...given,
  });
  const send = async (...partitions: number[]): Promise<void> => {
    for (const partition of partitions) lane.add(waiting(partition));
    await settle();
  };
  return { lane, clock, connections, outcomes, waiting, send, givenUp };
}

const record: BatchRecord = batchRecord({ key: null, value: Buffer.from('x'), headers: [] });

/** Requests that are answered when the test says so. */
function held() {
  const requests: { partitions: number[]; answer(): Promise<void> }[] = [];
  const produce: Produce = (batches) =>
    new Promise((resolve) => {
      requests.push({
        partitions: batches.map(({ partition }) => partition),
        async answer() {
          resolve(batches.map(written));
          // Records that its end brings are sent at the end of a turn.
          await settle();
          await settle();
        },
      });
    });
  return { requests, produce };
}

test('one request is in flight at a time, and the next takes all partitions that wait by then', async () => {
  const { requests, produce } = held();
  const { lane, outcomes, send } = setUp(produce);
  await send(0);
  await send(1);
  await send(2);
  expect([requests.map(({ partitions }) => partitions), lane.load()]).toEqual([[[0]], 3]);
  await requests[0]?.answer();
  expect(requests.map(({ partitions }) => partitions)).toEqual([[0], [1, 2]]);
  await requests[1]?.answer();
  expect([outcomes, lane.load()]).toEqual([['0 written', '1 written', '2 written'], 0]);
});

test('the first that is due takes along those that are not, and one that is due at once waits for none', async () => {
  const { requests, produce } = held();
  const { clock, lane, waiting } = setUp(produce);
  const atMs = clock.monotonicMs();
  lane.add(waiting(0, { dueAtMs: () => atMs + 20 }));
  lane.add(waiting(1, { dueAtMs: () => atMs + 10 }));
  await clock.advance(9);
  expect(requests).toEqual([]);
  await clock.advance(1);
  expect(requests.map(({ partitions }) => partitions)).toEqual([[0, 1]]);
  await requests[0]?.answer();
  lane.add(waiting(0, { dueAtMs: () => atMs + 5_000 }));
  await settle();
  lane.add(waiting(1));
  await settle();
  expect(requests[1]?.partitions).toEqual([0, 1]);
});

test('what is sent in the same turn of the event loop, or because of an answer, goes along', async () => {
  const { requests, produce } = held();
  const { lane, waiting } = setUp(produce);
  lane.add(waiting(0));
  await Promise.resolve();
  lane.add(waiting(1, { settle: () => void Promise.resolve().then(() => lane.add(waiting(3))) }));
  await settle();
  lane.add(waiting(2));
  await requests[0]?.answer();
  expect(requests.map(({ partitions }) => partitions)).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

test('what becomes due earlier is sent then', async () => {
  const { requests, produce } = held();
  const { clock, lane, waiting } = setUp(produce);
  let dueAtMs = clock.monotonicMs() + 5_000;
  lane.add(waiting(0, { dueAtMs: () => dueAtMs }));
  await settle();
  dueAtMs = Number.NEGATIVE_INFINITY;
  lane.hurry();
  await settle();
  expect(requests).toHaveLength(1);
});

test('a request has 4 MiB at the most, and a larger batch goes alone', async () => {
  const { requests, produce } = held();
  const { lane, waiting } = setUp(produce);
  const mebibyte = 1024 * 1024;
  for (const [partition, mebibytes] of [1, 2, 2, 5, 1].entries())
    lane.add(waiting(partition, { batchBytes: () => mebibytes * mebibyte }));
  for (let i = 0; i < 4; i += 1) {
    await settle();
    await requests[i]?.answer();
  }
  expect(requests.map(({ partitions }) => partitions)).toEqual([[0, 1], [2], [3], [4]]);
});

test('a partition of which nothing is left to send is in no request', async () => {
  const { requests, produce } = held();
  const { lane, waiting } = setUp(produce);
  lane.add(waiting(0, { cut: () => [] }));
  await settle();
  expect(requests).toEqual([]);
  lane.add(waiting(0, { cut: () => [] }));
  lane.add(waiting(1));
  await settle();
  expect(requests.map(({ partitions }) => partitions)).toEqual([[1]]);
});

test('each partition has the outcome that the answer says of it, and no other', async () => {
  const say = (partition: number, errorCode: number): PartitionAnswer => ({
    topic: 't',
    partition,
    errorCode,
    baseOffset: 3n,
  });
  const { outcomes, send, connections } = setUp(async () => [say(3, 0), say(0, 10), say(1, 6), say(9, 0)]);
  await send(0, 1, 2, 3);
  expect(outcomes).toEqual(['0 refused', '1 unknown', '2 unknown', '3 written']);
  expect(connections[0]?.open).toBe(false);
});

test('the connection is kept where the broker says what is wrong, and renewed where it says nothing', async () => {
  const kept = setUp(async (batches) => batches.map((batch) => ({ ...written(batch), errorCode: 6 })));
  await kept.send(0);
  await kept.send(0);
  expect(kept.outcomes).toEqual(['0 unknown', '0 unknown']);
  expect(kept.connections).toMatchObject([{ open: true }]);

  const renewed = setUp(fail, acknowledge);
  await renewed.send(0, 1);
  await renewed.send(0);
  expect(renewed.outcomes).toEqual(['0 unknown', '1 unknown', '0 written']);
  expect(renewed.connections).toMatchObject([{ open: false }, { open: true }]);
});

test('an answer that does not name the partition is no acknowledgment, and the connection is renewed', async () => {
  const { connections, outcomes, send } = setUp(async () => [], acknowledge);
  await send(0);
  await send(0);
  expect(outcomes).toEqual(['0 unknown', '0 written']);
  expect(connections).toHaveLength(2);
});

test('a connection that the broker has closed is replaced before it is used', async () => {
  const { connections, outcomes, send } = setUp(acknowledge);
  await send(0);
  for (const connection of connections) connection.open = false;
  await send(0);
  expect([outcomes, connections.length]).toEqual([['0 written', '0 written'], 2]);
});

test('the followers of several partitions are waited for shortly, those of one for as long as the request may take', async () => {
  const { connections, send } = setUp(acknowledge);
  await send(0, 1);
  await send(0);
  expect(connections[0]?.timeoutsMs).toEqual([1_500, 8_000]);
});

test('a request that never ends is given up after twice its time-out', async () => {
  const { lane, clock, connections, outcomes, send } = setUp(never, acknowledge);
  await send(0);
  await clock.advance(19_999);
  expect(lane.inFlightMs()).toBe(19_999);
  expect(outcomes).toEqual([]);
  await clock.advance(1);
  await send(0);
  expect(outcomes).toEqual(['0 unknown', '0 written']);
  expect([connections.length, lane.inFlightMs()]).toEqual([2, 0]);
});

test('who waits can be taken back, and who is in flight can’t', async () => {
  const { requests, produce } = held();
  const { lane, outcomes, send } = setUp(produce);
  await send(0);
  await send(1, 2);
  lane.disperse();
  expect([outcomes, lane.load()]).toEqual([['1 elsewhere', '2 elsewhere'], 1]);
  await requests[0]?.answer();
  expect(outcomes).toEqual(['1 elsewhere', '2 elsewhere', '0 written']);
});

test('a lane that is closed sends nothing more', async () => {
  const { requests, produce } = held();
  const { lane, send, connections } = setUp(produce);
  await send(0);
  await send(1);
  const closing = lane.close();
  await requests[0]?.answer();
  await closing;
  expect([requests.length, connections[0]?.open]).toEqual([1, false]);
});

describe('a partition that gives its request up before the others', () => {
  const patient = { requestTimeoutMs: () => 10_000 };
  const hurried = { requestTimeoutMs: () => 3_000 };

  it('has its outcome then, and the lane is left to the others, whose answer still counts', async () => {
    const { requests, produce } = held();
    const { lane, clock, outcomes, waiting, givenUp, connections } = setUp(produce);
    const startedAtMs = clock.monotonicMs();
    lane.add(waiting(0, patient));
    lane.add(waiting(1, hurried));
    lane.add(waiting(2, hurried));
    await settle();
    await clock.advance(2_999);
    expect(outcomes).toEqual([]);
    await clock.advance(1);
    expect(outcomes).toEqual(['1 unknown', '2 unknown']);
    expect(givenUp).toEqual([startedAtMs + 3_000]);
    lane.add(waiting(3));
    lane.retire();
    expect(outcomes.at(-1)).toBe('3 elsewhere');
    await requests[0]?.answer();
    expect(outcomes).toEqual(['1 unknown', '2 unknown', '3 elsewhere', '0 written']);
    expect(requests).toHaveLength(1);
    await settle();
    expect(connections.map(({ open }) => open)).toEqual([false]);
  });

  it('renews the connection where no other is left in the request', async () => {
    const { lane, clock, outcomes, waiting, givenUp, connections } = setUp(never, acknowledge);
    lane.add(waiting(1, hurried));
    lane.add(waiting(2, hurried));
    await settle();
    await clock.advance(3_000);
    expect([outcomes, givenUp]).toEqual([['1 unknown', '2 unknown'], []]);
    lane.add(waiting(3, patient));
    await settle();
    await settle();
    expect(outcomes.at(-1)).toBe('3 written');
    expect(connections.map(({ open }) => open)).toEqual([false, true]);
  });

  it('has the leader wait for its followers no longer than that', async () => {
    const { lane, waiting, connections } = setUp(acknowledge);
    lane.add(waiting(1, { requestTimeoutMs: () => 1_000 }));
    await settle();
    expect(connections[0]?.timeoutsMs).toEqual([800]);
  });
});
