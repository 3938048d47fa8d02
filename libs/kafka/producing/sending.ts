/**
 * How records reach the brokers: per partition one batch in the making and one in flight, and per leader a request with the batches of all its
 * partitions. While a leader takes long over one, the partitions that are not in it use a second connection.
 *
 * Several producers may send by one Sending. Each has its own bounds, time limits, metrics and spans, and can come and go while the others go on;
 * a request carries what all of them send at that moment. Records of one key are in the order in which they were added, whoever added them.
 */
import { AppError, type Clock, type Logger } from '#lib/runtime';
import type { KafkaAccess } from '../access.ts';
import { createClient, noRetry } from '../client.ts';
import type { Compression } from '../codec/compression/compression.ts';
import type { ProducerMeter } from '../metrics.ts';
import { within } from '../time-limit.ts';
import type { BatchLimits } from './accumulator.ts';
import { type BrokerConnection, connectBroker } from './broker-connection.ts';
import { createLeaderLanes, type LeaderLanes } from './leader-lanes.ts';
import { createPartitionSender } from './partition-sender.ts';
import type { PendingRecord, RecordOwner } from './pending-record.ts';
import { createProduceLane, type ProduceLane } from './produce-lane.ts';
import { createTopicLayouts, nobody } from './topic-layouts.ts';
import { createTopicSender, type TopicSender } from './topic-sender.ts';

export interface SendingOptions extends KafkaAccess {
  clientId: string;
  clock: Clock;
  log: Logger;
  compression: Compression;
  batches: BatchLimits;
  /** Time limit of one request; its owners may have less. */
  requestTimeoutMs: number;
  metadataRefreshMs: number;
  random: () => number;
}

/** A producer that sends by it. */
export interface SendingMember {
  /** The topics that it writes to; it may add some. */
  readonly topics: ReadonlySet<string>;
  readonly meter: Pick<ProducerMeter, 'described' | 'unreached'>;
}

export interface Sending {
  /** Looks the member's topics up and connects to their leaders. Resolves with Kafka away too, after some seconds. */
  join(member: SendingMember): Promise<void>;
  /** The member has gone; the last one closes all connections. */
  leave(member: SendingMember): Promise<void>;
  add(record: PendingRecord): void;
  /** A record that was added has ended. */
  ended(): void;
  /** How many leaders share the records. */
  leaders(): number;
  /** From now until the returned function is called, nothing waits for others. */
  flush(): () => void;
  /** Fails all records of an owner. */
  failAll(owner: RecordOwner): void;
}

type Connect = (options: SendingOptions) => Promise<BrokerConnection>;
const connectBy: Connect = (options) => connectBroker(createClient({ ...options, retry: noRetry }));

// The interval at which record time-outs and slow leaders are checked.
const expiryTickMs = 25;
const lookEveryMs = 100;
const connectWaitMs = 5_000;
/** About partitions and leaders: another broker knows as much as one that hangs. */
const questionTimeoutMs = 3_000;

/** @param connect opens a connection to a broker within a time limit per request */
export function createSending(options: SendingOptions, connect: Connect = connectBy): Sending {
  const { clock, log, random, compression, requestTimeoutMs } = options;
  const members = new Set<SendingMember>();
  const topics = new Map<string, TopicSender>();
  /** By the leader's id. */
  const lanes = new Map<number, LeaderLanes>();
  const closed = new AbortController();
  let open = 0;
  let flushing = 0;
  let watching = false;
  /** The earliest expiry among records added since the last check. */
  let earliestMs = Number.POSITIVE_INFINITY;

  const layouts = createTopicLayouts({
    brokers: options.brokers,
    connectTo: (address) => connectTo(address, Math.min(requestTimeoutMs, questionTimeoutMs)),
    clock,
    log,
    refreshMs: options.metadataRefreshMs,
    onChange(topic, layout) {
      topics.get(topic)?.layoutChanged(layout);
      for (const toLeader of lanes.values()) toLeader.disperse();
    },
    meter: {
      described(topic, partitions) {
        for (const member of members) if (member.topics.has(topic)) member.meter.described(topic, partitions);
      },
      unreached() {
        for (const { meter } of members) meter.unreached();
      },
    },
  });

  const leaderOf = (topic: string, partition: number): number => layouts.get(topic)?.[partition] ?? nobody;
  const laneOf = (topic: string, partition: number, isAlone: boolean): ProduceLane =>
    lanesTo(leaderOf(topic, partition)).of(`${topic}/${partition}`, isAlone);

  function lanesTo(leader: number): LeaderLanes {
    const known = lanes.get(leader);
    if (known !== undefined) return known;
    const lane = { connect: () => connectToLeader(leader), clock, log, requestTimeoutMs, compression };
    const created = createLeaderLanes((onGivenUp) => createProduceLane({ ...lane, onGivenUp }));
    lanes.set(leader, created);
    return created;
  }

  async function connectToLeader(leader: number): Promise<BrokerConnection> {
    const address = layouts.addressOf(leader);
    if (address === undefined) throw new Error('nobody leads the partition');
    return connectTo(address, requestTimeoutMs);
  }

  const connectTo = (address: string, timeoutMs: number): Promise<BrokerConnection> =>
    connect({ ...options, requestTimeoutMs: timeoutMs, brokers: [address] });

  function topicSender(topic: string): TopicSender {
    let sender = topics.get(topic);
    if (sender === undefined) {
      sender = createTopicSender({
        layout: layouts.get(topic),
        random,
        laneOf: (partition, isAlone) => laneOf(topic, partition, isAlone),
        slowForMs: (partition) => lanesTo(leaderOf(topic, partition)).slowForMs(),
        createPartitionSender: (partition, onBatchCut) =>
          createPartitionSender({
            topic,
            partition,
            limits: options.batches,
            isFlushing: () => flushing > 0,
            clock,
            random,
            lane: (isAlone) => laneOf(topic, partition, isAlone),
            onBatchCut,
            onFailure: layouts.refreshSoon,
            closed: closed.signal,
          }),
      });
      topics.set(topic, sender);
    }
    return sender;
  }

  /** While records are pending: expires them, and moves those that wait for a slow leader to the second connection. */
  async function watch(): Promise<void> {
    watching = true;
    let nextMs = Number.POSITIVE_INFINITY;
    while (open > 0 && !closed.signal.aborted) {
      const restMs = Math.min(nextMs, earliestMs) - clock.monotonicMs();
      await clock.sleep(Math.max(expiryTickMs, Math.min(restMs, lookEveryMs)), closed.signal);
      earliestMs = Number.POSITIVE_INFINITY;
      nextMs = failExpired(clock.monotonicMs(), 'in its time');
      for (const toLeader of lanes.values()) toLeader.disperseSlow();
    }
    watching = false;
  }

  /** @returns before when nothing more expires */
  function failExpired(nowMs: number, limit: string, owner?: RecordOwner): number {
    const error = (record: PendingRecord): AppError =>
      new AppError('kafka_unavailable', `no acknowledgment from ${record.topic} ${limit}`);
    return Math.min(...topics.values().map((topic) => topic.expire(nowMs, error, owner)));
  }

  return {
    async join(member) {
      const isFirst = members.size === 0;
      members.add(member);
      for (const topic of member.topics) layouts.get(topic);
      await within(clock, connectWaitMs, isFirst ? layouts.start() : layouts.refreshed(), () => undefined);
      for (const topic of member.topics) {
        for (const leader of layouts.get(topic) ?? []) lanesTo(leader);
      }
      const connecting = Promise.allSettled([...lanes.values()].map((lane) => lane.connect()));
      await within(clock, connectWaitMs, connecting, () => []);
    },
    async leave(member) {
      members.delete(member);
      if (members.size > 0) return;
      closed.abort();
      await Promise.all([layouts.stop(), ...[...lanes.values()].map((lane) => lane.close())]);
    },
    add(record) {
      open += 1;
      topicSender(record.topic).add(record);
      earliestMs = Math.min(earliestMs, record.expiresAtMs);
      if (!watching) void watch();
    },
    ended() {
      open -= 1;
    },
    leaders: () => lanes.size,
    flush() {
      flushing += 1;
      for (const topic of topics.values()) topic.hurry();
      return () => void (flushing -= 1);
    },
    failAll: (owner) => void failExpired(Infinity, 'before the producer stopped', owner),
  };
}
