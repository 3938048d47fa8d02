import type { Cluster, ConsumerConfig, Kafka, KafkaMessage, PartitionAssigner } from 'kafkajs';
import { KafkaJSConnectionError } from 'kafkajs/src/errors.js';
import type { ConsumerOptions, IncomingRecord } from '#lib/kafka';
import { createManualClock, silentLogger } from '#lib/runtime';
import { Registry } from 'prom-client';
import { createConsumer } from '../../../libs/kafka/consuming/rebuilding/supervised-consumer.ts';
import { messages, settle } from './fixtures.ts';
import { noneUndecodable } from '../../support/none-undecodable.ts';

const groupId = 'group';
const topic = 't';
const rebuildAfterMs = 45_000;

type Listener = (event: { payload: unknown }) => void;
type EachBatch = (payload: object) => Promise<void>;

/** One consumer of the client: what the cluster has it hear, and what it has committed. */
class Member {
  readonly events = { GROUP_JOIN: 'join', CRASH: 'crash', HEARTBEAT: 'heartbeat' };
  readonly commits: string[] = [];
  private readonly listeners = new Map<string, Listener>();
  private eachBatch: EachBatch = async () => undefined;
  on = (event: string, listener: Listener): void => void this.listeners.set(event, listener);
  connect = async (): Promise<void> => undefined;
  subscribe = async (): Promise<void> => undefined;
  disconnect = async (): Promise<void> => undefined;
  pause = (): void => undefined;
  resume = (): void => undefined;
  seek = (): void => undefined;
  run = async ({ eachBatch }: { eachBatch: EachBatch }): Promise<void> => void (this.eachBatch = eachBatch);

  join(memberId: string, partitions: number[]): void {
    this.listeners.get('join')?.({ payload: { memberId, memberAssignment: { [topic]: partitions } } });
  }
  heartbeat(): void {
    this.listeners.get('heartbeat')?.({ payload: {} });
  }
  crash(): void {
    this.listeners.get('crash')?.({ payload: { restart: false, error: new Error('crashed') } });
  }
  fetch(partition: number, fetched: readonly KafkaMessage[]): Promise<void> {
    return this.eachBatch({
      batch: { topic, partition, highWatermark: '100', messages: fetched },
      commitOffsetsIfNecessary: async (offsets: unknown) => void this.commits.push(JSON.stringify(offsets)),
      isStale: () => false,
    });
  }
}

function fakeCluster() {
  const lives: Member[] = [];
  const left: string[] = [];
  const state = { answers: async (): Promise<void> => undefined };
  const cluster = {
    connect: async () => undefined,
    findBroker: async () => ({}),
    findGroupCoordinator: async () => ({
      leaveGroup: async ({ memberId }: { memberId: string }) => void left.push(memberId),
    }),
  } as unknown as Cluster;
  const newClient = (): Kafka =>
    ({
      consumer({ partitionAssigners, sessionTimeout }: ConsumerConfig & { partitionAssigners: PartitionAssigner[] }) {
        for (const assigner of partitionAssigners) assigner({ cluster, groupId, logger: {} as never });
        const member = new Member();
        // One without is made for its cluster alone, to have a member leave.
        if (sessionTimeout !== undefined) lives.push(member);
        return member;
      },
      admin: () => ({
        connect: async () => undefined,
        disconnect: async () => undefined,
        describeGroups: () => state.answers(),
        fetchOffsets: async () => [{ topic, partitions: [{ partition: 0, offset: '0' }] }],
        fetchTopicOffsets: async () => [{ partition: 0, low: '0', high: '100' }],
      }),
    }) as unknown as Kafka;
  /** The first step of a join. */
  const rejoin = async (): Promise<void> => void (await cluster.findGroupCoordinator({ groupId }));
  return { newClient, state, left, lives, rejoin };
}

async function supervised(options: Partial<ConsumerOptions> = {}) {
  const clock = createManualClock();
  const cluster = fakeCluster();
  const failures: Error[] = [];
  const revoked: number[] = [];
  const calls: { records: readonly IncomingRecord[]; signal: AbortSignal; end(): void }[] = [];
  const metrics = new Registry();
  const consumer = createConsumer(
    {
      brokers: ['broker:1'],
      clientId: 'test',
      groupId,
      topics: [topic],
      clock,
      log: silentLogger,
      metrics,
      random: () => 0,
      onUndecodable: noneUndecodable,
      handle: (records, signal) => new Promise((resolve) => calls.push({ records, signal, end: resolve })),
      onRevoked: (partitions) => revoked.push(...partitions.map(({ partition }) => partition)),
      onFailure: (error) => failures.push(error),
      ...options,
    },
    cluster.newClient,
  );
  const life = (index: number): Member => {
    const found = cluster.lives[index];
    if (found === undefined) throw new Error(`there is no life ${index}`);
    return found;
  };
  const beMember = (index: number, memberId: string): void => {
    life(index).join(memberId, [0]);
    life(index).heartbeat();
  };
  const gauge = async (name: string): Promise<number | undefined> =>
    (await metrics.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0);
  await consumer.start();
  return { clock, cluster, consumer, failures, revoked, calls, life, beMember, gauge };
}

test('one that has fallen silent is built anew: its member leaves, and it owns nothing surely before the next one has joined', async () => {
  const { clock, cluster, consumer, failures, revoked, life, beMember, gauge } = await supervised();
  expect([consumer.isReady(), consumer.holdsMembership()]).toEqual([false, false]);
  beMember(0, 'first');
  expect([consumer.isReady(), consumer.holdsMembership()]).toEqual([true, true]);
  await clock.advance(20_000);
  expect(await gauge('hookline_consumer_without_group_seconds')).toBe(20);
  expect(consumer.isReady()).toBe(false);
  await clock.advance(rebuildAfterMs - 20_000);

  expect([cluster.lives.length, cluster.left, revoked, failures]).toEqual([2, ['first'], [0], []]);
  expect([consumer.partitions(), consumer.holdsMembership(), consumer.isReady()]).toEqual([[], false, false]);
  life(1).join('second', [0]);
  expect([consumer.isReady(), consumer.holdsMembership()]).toEqual([true, false]);
  life(1).heartbeat();
  expect(consumer.holdsMembership()).toBe(true);
  expect(await gauge('hookline_consumer_without_group_seconds')).toBe(0);
  expect(await gauge('hookline_consumer_rebuilds_total')).toBe(1);
  await consumer.stop();
});

test('nothing that a former one still hears or does counts', async () => {
  const { clock, consumer, failures, life, beMember, calls } = await supervised();
  beMember(0, 'first');
  await settle();
  await life(0).fetch(0, messages(0, 1));
  await settle();
  expect(calls).toHaveLength(1);
  await clock.advance(rebuildAfterMs);

  expect(calls[0]?.signal.aborted).toBe(true);
  calls[0]?.records.forEach((record) => record.done());
  calls[0]?.end();
  beMember(0, 'first');
  await life(0).fetch(0, messages(1, 2));
  life(0).crash();
  await clock.advance(5_000);
  expect([consumer.partitions(), consumer.isReady(), consumer.holdsMembership()]).toEqual([[], false, false]);
  expect([calls.length, failures, life(0).commits]).toEqual([1, [], []]);

  beMember(1, 'second');
  await clock.advance(1_000);
  expect([life(0).commits, life(1).commits]).toEqual([[], []]);
  await life(1).fetch(0, messages(0, 1));
  await settle();
  calls[1]?.records.forEach((record) => record.done());
  calls[1]?.end();
  await clock.advance(1_000);
  expect([life(0).commits.length, life(1).commits.length]).toEqual([0, 1]);
  await consumer.stop();
});

test('a partition waits for its former handler, which was aborted, and not for ever', async () => {
  const { clock, consumer, life, beMember, calls } = await supervised();
  beMember(0, 'first');
  await settle();
  await life(0).fetch(0, messages(0, 1));
  await settle();
  await clock.advance(rebuildAfterMs);
  beMember(1, 'second');
  await settle();
  await life(1).fetch(0, messages(0, 1));
  const beat = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      life(1).heartbeat();
      await clock.advance(1_000);
    }
  };
  await beat(29_000);
  expect(calls).toHaveLength(1);
  await beat(2_000);
  expect(calls).toHaveLength(2);
  expect(calls[1]?.signal.aborted).toBe(false);
  void consumer.stop();
  calls.forEach(({ end }) => end());
  await clock.advance(60_000);
});

test('one that was never heard of is built anew, too, and the third within five minutes fails', async () => {
  const { clock, cluster, consumer, failures, gauge } = await supervised();
  await clock.advance(rebuildAfterMs);
  await clock.advance(2 * rebuildAfterMs);
  expect([cluster.left, failures, await gauge('hookline_consumer_rebuilds_total')]).toEqual([[], [], 2]);
  await clock.advance(4 * rebuildAfterMs);
  expect([failures.length, await gauge('hookline_consumer_rebuilds_total')]).toEqual([1, 2]);
  await clock.advance(10 * rebuildAfterMs);
  expect(failures).toHaveLength(1);
  const stopped = consumer.stop();
  await clock.advance(60_000);
  await stopped;
});

test('while the coordinator answers nobody none is built anew', async () => {
  const { clock, cluster, consumer, failures, beMember } = await supervised();
  beMember(0, 'first');
  cluster.state.answers = () => Promise.reject(new KafkaJSConnectionError('refused'));
  await clock.advance(6 * rebuildAfterMs);
  cluster.state.answers = () => new Promise(() => undefined);
  await clock.advance(6 * rebuildAfterMs);
  expect([cluster.lives.length, failures]).toEqual([1, []]);
  beMember(0, 'first');
  await clock.advance(20_000);
  expect([cluster.lives.length, failures]).toEqual([1, []]);
  await consumer.stop();
});

test('an answer that refuses is an answer', async () => {
  const { clock, cluster, consumer, beMember } = await supervised();
  beMember(0, 'first');
  cluster.state.answers = () =>
    Promise.reject(Object.assign(new Error('not allowed'), { type: 'GROUP_AUTHORIZATION_FAILED' }));
  await clock.advance(rebuildAfterMs);
  expect(cluster.left).toEqual(['first']);
  await consumer.stop();
});

test('what is done is committed before a rebalance goes on and before a stop ends, whatever is left of the interval', async () => {
  const { cluster, consumer, life, beMember, calls } = await supervised({ commitIntervalMs: 40_000 });
  const work = async (call: number): Promise<void> => {
    await life(0).fetch(0, messages(0, call + 1));
    await settle();
    calls[call]?.records.forEach((record) => record.done());
    calls[call]?.end();
    await settle();
  };
  beMember(0, 'first');
  await settle();
  await work(0);
  expect(life(0).commits).toEqual([]);
  await cluster.rejoin();
  expect(life(0).commits).toEqual([expect.stringContaining('"offset":"1"')]);
  beMember(0, 'first');
  await settle();
  await work(1);
  expect(life(0).commits).toHaveLength(1);
  await consumer.stop();
  expect(life(0).commits).toEqual([expect.anything(), expect.stringContaining('"offset":"2"')]);
});
