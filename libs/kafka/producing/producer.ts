import type { Registry } from 'prom-client';
import type { Clock } from '#lib/clock';
import { AppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { noTracer, type Tracer } from '#lib/telemetry';
import type { KafkaAccess } from '../access.ts';
import { createClient, noRetry } from '../client.ts';
import { measureProducer } from '../metrics.ts';
import type { OutgoingRecord, RecordPosition, RecordProducer } from '../port.ts';
import { within } from '../time-limit.ts';
import type { Compression } from '../codec/compression/compression.ts';
import { type BrokerConnection, connectBroker } from './broker-connection.ts';
import { createLeaderLanes, type LeaderLanes } from './leader-lanes.ts';
import { createPartitionSender } from './partition-sender.ts';
import { createPendingRecord, type PendingRecord } from './pending-record.ts';
import { createProduceLane, type ProduceLane } from './produce-lane.ts';
import { createSendLinger } from './send-linger.ts';
import { createTopicLayouts, nobody } from './topic-layouts.ts';
import { createTopicSender, type TopicSender } from './topic-sender.ts';

export interface ProducerOptions extends KafkaAccess {
  /** Names the process to the brokers. */
  clientId: string;
  clock: Clock;
  log: Logger;
  metrics: Registry;
  /** Default: none. */
  tracer?: Tracer;
  /** Topics whose partitions are looked up at the start; those of others at their first record. */
  topics?: readonly string[];
  /** The codec of the batches. Default: none. */
  compression?: Compression;
  /** From `send` to its rejection with kafka_unavailable, at the latest. Default 30,000. */
  deliveryTimeoutMs?: number;
  /** The longest wait of a record for others while they keep coming; a single record does not wait. Default 2. */
  lingerMs?: number;
  /** Default 500. */
  maxBatchRecords?: number;
  /** A larger record goes alone. Default 512 KiB. */
  maxBatchBytes?: number;
  /** The bound on records accepted by `send` that have not ended; beyond it, queue_full. Default 20,000. */
  maxPendingRecords?: number;
  /** The same in bytes. Default 64 MiB. */
  maxPendingBytes?: number;
  /** Time for pending records at a stop, before they are rejected. Default 5,000. */
  flushTimeoutMs?: number;
  /** Time limit of one request; then its connection is renewed. Default 12,000. */
  requestTimeoutMs?: number;
  /** How old the knowledge of partitions and leaders may become. Default 30,000. */
  metadataRefreshMs?: number;
  /** From 0 up to 1: which partition keyless records start with, and the jitter of retries. Default Math.random. */
  random?: () => number;
}

// The interval at which record time-outs and slow leaders are checked.
const expiryTickMs = 25;
const lookEveryMs = 100;
const connectWaitMs = 5_000;
const defaultLingerMs = 2;
/** About partitions and leaders: another broker knows as much as one that hangs. */
const questionTimeoutMs = 3_000;

/**
 * The collecting producer: per partition one batch in the making and one in flight, and per leader a request with the batches of all its
 * partitions. While a leader takes long over one, the partitions that are not in it use a second connection. `start` resolves with Kafka
 * away too: records then wait for it and time out.
 */
export function createProducer(options: ProducerOptions): Part & RecordProducer {
  const { clock, log, tracer = noTracer, random = Math.random, compression = 'none' } = options;
  const deliveryTimeoutMs = options.deliveryTimeoutMs ?? 30_000;
  const requestTimeoutMs = options.requestTimeoutMs ?? 12_000;
  const limits = { maxRecords: options.maxBatchRecords ?? 500, maxBytes: options.maxBatchBytes ?? 512 * 1024 };
  const maxPending = {
    records: options.maxPendingRecords ?? 20_000,
    bytes: options.maxPendingBytes ?? 64 * 1024 * 1024,
  };
  const meter = measureProducer(options.metrics);

  const topics = new Map<string, TopicSender>();
  /** By the leader's id. */
  const lanes = new Map<number, LeaderLanes>();
  const pending = { records: 0, bytes: 0 };
  const linger = createSendLinger(options.lingerMs ?? defaultLingerMs);
  const closed = new AbortController();
  let state: 'new' | 'running' | 'flushing' | 'stopped' = 'new';
  let watching = false;
  /** The earliest expiry among records added since the last check. */
  let earliestMs = Number.POSITIVE_INFINITY;
  let drained: (() => void) | undefined;

  const layouts = createTopicLayouts({
    brokers: options.brokers,
    connectTo: (address) => connectTo(address, Math.min(requestTimeoutMs, questionTimeoutMs)),
    clock,
    log,
    refreshMs: options.metadataRefreshMs ?? 30_000,
    onChange(topic, layout) {
      topics.get(topic)?.layoutChanged(layout);
      for (const toLeader of lanes.values()) toLeader.disperse();
    },
    meter,
  });

  const leaderOf = (topic: string, partition: number): number => layouts.get(topic)?.[partition] ?? nobody;
  const laneOf = (topic: string, partition: number, isAlone: boolean): ProduceLane =>
    lanesTo(leaderOf(topic, partition)).of(`${topic}/${partition}`, isAlone);

  function lanesTo(leader: number): LeaderLanes {
    const known = lanes.get(leader);
    if (known !== undefined) return known;
    const connect = (): Promise<BrokerConnection> => connectToLeader(leader);
    const created = createLeaderLanes(() => createProduceLane({ connect, clock, log, requestTimeoutMs, compression }));
    lanes.set(leader, created);
    return created;
  }

  async function connectToLeader(leader: number): Promise<BrokerConnection> {
    const address = layouts.addressOf(leader);
    if (address === undefined) throw new Error('nobody leads the partition');
    return connectTo(address, requestTimeoutMs);
  }

  const connectTo = (address: string, timeoutMs: number): Promise<BrokerConnection> =>
    connectBroker(createClient({ ...options, requestTimeoutMs: timeoutMs, brokers: [address], retry: noRetry }));

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
            limits,
            isFlushing: () => state !== 'running',
            clock,
            log,
            tracer,
            random,
            lane: (isAlone) => laneOf(topic, partition, isAlone),
            onBatchCut,
            onFailure: layouts.refreshSoon,
            onRequest: meter.requested,
            closed: closed.signal,
          }),
      });
      topics.set(topic, sender);
    }
    return sender;
  }

  function onEnd(record: PendingRecord): void {
    pending.records -= 1;
    pending.bytes -= record.bytes;
    if (pending.records === 0) drained?.();
  }

  /** While records are pending: expires them, and moves those that wait for a slow leader to the second connection. */
  async function watch(): Promise<void> {
    watching = true;
    let nextMs = Number.POSITIVE_INFINITY;
    while (pending.records > 0 && state !== 'stopped') {
      const restMs = Math.min(nextMs, earliestMs) - clock.monotonicMs();
      await clock.sleep(Math.max(expiryTickMs, Math.min(restMs, lookEveryMs)), closed.signal);
      earliestMs = Number.POSITIVE_INFINITY;
      nextMs = failExpired(clock.monotonicMs(), 'in its time');
      for (const toLeader of lanes.values()) toLeader.disperseSlow();
    }
    watching = false;
  }

  /** @returns before when nothing more expires */
  function failExpired(nowMs: number, limit: string): number {
    const error = (record: PendingRecord): AppError =>
      new AppError('kafka_unavailable', `no acknowledgment from ${record.topic} ${limit}`);
    return Math.min(...topics.values().map((topic) => topic.expire(nowMs, error)));
  }

  async function send(record: OutgoingRecord, timeoutMs = deliveryTimeoutMs): Promise<RecordPosition> {
    if (state !== 'running') throw new AppError('stopped', `the producer is ${state}`);
    if (timeoutMs <= 0) throw new AppError('kafka_unavailable', 'there is no time left');
    const sentAtMs = clock.monotonicMs();
    const expiresAtMs = sentAtMs + Math.min(timeoutMs, deliveryTimeoutMs);
    const dueAtMs = sentAtMs + linger.next(record, lanes.size, sentAtMs);
    const { pending: accepted, position } = createPendingRecord(record, { expiresAtMs, dueAtMs }, onEnd);
    const full = pending.records >= maxPending.records || pending.bytes + accepted.bytes > maxPending.bytes;
    // A record larger than the whole bound would otherwise never pass.
    if (full && pending.records > 0) {
      throw new AppError('queue_full', `${pending.records} records, ${pending.bytes} bytes wait for Kafka`);
    }
    pending.records += 1;
    pending.bytes += accepted.bytes;
    topicSender(record.topic).add(accepted);
    earliestMs = Math.min(earliestMs, expiresAtMs);
    if (!watching) void watch();
    return position;
  }

  async function start(): Promise<void> {
    for (const topic of options.topics ?? []) layouts.get(topic);
    await within(clock, connectWaitMs, layouts.start(), () => undefined);
    for (const topic of options.topics ?? []) {
      for (const leader of layouts.get(topic) ?? []) lanesTo(leader);
    }
    const connecting = Promise.allSettled([...lanes.values()].map((lane) => lane.connect()));
    await within(clock, connectWaitMs, connecting, () => []);
    state = 'running';
  }

  async function stop(): Promise<void> {
    state = 'flushing';
    for (const topic of topics.values()) topic.hurry();
    if (pending.records > 0) {
      const flushed = new Promise<void>((resolve) => (drained = resolve));
      await within(clock, options.flushTimeoutMs ?? 5_000, flushed, () => undefined);
    }
    failExpired(Infinity, 'before the producer stopped');
    state = 'stopped';
    closed.abort();
    await Promise.all([layouts.stop(), ...[...lanes.values()].map((lane) => lane.close())]);
  }

  return {
    ...createPart('kafka producer', start, stop),
    send,
    pending: () => ({ ...pending }),
  };
}
