import type { Registry } from 'prom-client';
import type { Clock } from '#lib/clock';
import { AppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { noTracer, type Tracer } from '#lib/telemetry';
import type { KafkaAccess } from './access.ts';
import { createClient } from './client.ts';
import { measureProducer } from './metrics.ts';
import { createPartitionSender } from './partition-sender.ts';
import { createPendingRecord, type PendingRecord } from './pending-record.ts';
import type { OutgoingRecord, RecordPosition, RecordProducer } from './port.ts';
import { createProduceLane, type ProduceLane } from './produce-lane.ts';
import { within } from './time-limit.ts';
import { createTopicLayouts } from './topic-layouts.ts';
import { createTopicSender, type TopicSender } from './topic-sender.ts';

export interface ProducerOptions extends KafkaAccess {
  /** Names the process to the brokers. */
  clientId: string;
  clock: Clock;
  log: Logger;
  metrics: Registry;
  /** Default: none. */
  tracer?: Tracer;
  /** Topics whose partitions are looked up at the start; others are at their first record. */
  topics?: readonly string[];
  /** From `send` to its rejection with kafka_unavailable, at the latest. Default 30,000. */
  deliveryTimeoutMs?: number;
  /** How long the first record of a batch waits for others. Default 2. */
  lingerMs?: number;
  /** Default 500. */
  maxBatchRecords?: number;
  /** A larger record goes alone. Default 512 KiB. */
  maxBatchBytes?: number;
  /** The bound on records accepted by `send` that have not ended; beyond it, queue_full. Default 20,000. */
  maxPendingRecords?: number;
  /** The same in bytes. Default 64 MiB. */
  maxPendingBytes?: number;
  /** What `stop` gives pending records before it rejects them. Default 5,000. */
  flushTimeoutMs?: number;
  /** Connections to one leader; the partitions that it leads are split among them. Default 2. */
  lanesPerLeader?: number;
  /** What a broker may take to answer one request; then its connection is renewed. Default 12,000. */
  requestTimeoutMs?: number;
  /** How old the knowledge of partitions and leaders may become. Default 30,000. */
  metadataRefreshMs?: number;
  /** From 0 up to 1: which partition keyless records start with, and the jitter of retries. Default Math.random. */
  random?: () => number;
}

// How late a record's time-out may be noticed.
const expiryTickMs = 25;
const connectWaitMs = 5_000;

/**
 * The collecting producer: per partition one batch in the making and one request in flight, over a few connections to each leader, so
 * that a slow leader does not hold up the others. `start` resolves with Kafka away too: records then wait for it and time out.
 */
export function createProducer(options: ProducerOptions): Part & RecordProducer {
  const { clock, log, tracer = noTracer, random = Math.random } = options;
  const deliveryTimeoutMs = options.deliveryTimeoutMs ?? 30_000;
  const requestTimeoutMs = options.requestTimeoutMs ?? 12_000;
  const lanesPerLeader = options.lanesPerLeader ?? 2;
  const limits = { maxRecords: options.maxBatchRecords ?? 500, maxBytes: options.maxBatchBytes ?? 512 * 1024 };
  const maxPending = {
    records: options.maxPendingRecords ?? 20_000,
    bytes: options.maxPendingBytes ?? 64 * 1024 * 1024,
  };
  const newClient = () => createClient({ ...options, requestTimeoutMs });
  const meter = measureProducer(options.metrics);

  const topics = new Map<string, TopicSender>();
  const lanes = new Map<string, ProduceLane>();
  const pending = { records: 0, bytes: 0 };
  const closed = new AbortController();
  let state: 'new' | 'running' | 'flushing' | 'stopped' = 'new';
  let expiring = false;
  let drained: (() => void) | undefined;

  const layouts = createTopicLayouts({
    createClient: newClient,
    clock,
    log,
    refreshMs: options.metadataRefreshMs ?? 30_000,
    onChange: (topic, layout) => topics.get(topic)?.layoutChanged(layout),
    meter,
  });

  /** Partitions keep to the connection of whoever leads them now; where nobody does, they share one of nobody's. */
  function laneOf(topic: string, partition: number): ProduceLane {
    const leader = layouts.get(topic)?.[partition] ?? -1;
    const name = `${leader}/${partition % lanesPerLeader}`;
    let lane = lanes.get(name);
    if (lane === undefined) {
      lane = createProduceLane({ createClient: newClient, clock, log, requestTimeoutMs });
      lanes.set(name, lane);
    }
    return lane;
  }

  function topicSender(topic: string): TopicSender {
    let sender = topics.get(topic);
    if (sender === undefined) {
      sender = createTopicSender({
        layout: layouts.get(topic),
        random,
        laneOf: (partition) => laneOf(topic, partition),
        createPartitionSender: (partition, onBatchCut) =>
          createPartitionSender({
            topic,
            partition,
            limits,
            lingerMs: () => (state === 'running' ? (options.lingerMs ?? 2) : 0),
            clock,
            log,
            tracer,
            random,
            lane: () => laneOf(topic, partition),
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

  async function expire(): Promise<void> {
    expiring = true;
    while (pending.records > 0 && state !== 'stopped') {
      await clock.sleep(expiryTickMs, closed.signal);
      failExpired(clock.monotonicMs(), 'in its time');
    }
    expiring = false;
  }

  function failExpired(nowMs: number, limit: string): void {
    for (const topic of topics.values()) {
      topic.expire(
        nowMs,
        (record) => new AppError('kafka_unavailable', `no acknowledgment from ${record.topic} ${limit}`),
      );
    }
  }

  async function send(record: OutgoingRecord, timeoutMs = deliveryTimeoutMs): Promise<RecordPosition> {
    if (state !== 'running') throw new AppError('stopped', `the producer is ${state}`);
    if (timeoutMs <= 0) throw new AppError('kafka_unavailable', 'there is no time left');
    const sentAtMs = clock.monotonicMs();
    const expiresAtMs = sentAtMs + Math.min(timeoutMs, deliveryTimeoutMs);
    const { pending: accepted, position } = createPendingRecord(record, { sentAtMs, expiresAtMs }, onEnd);
    const full = pending.records >= maxPending.records || pending.bytes + accepted.bytes > maxPending.bytes;
    // A record larger than the whole bound would otherwise never pass.
    if (full && pending.records > 0) {
      throw new AppError('queue_full', `${pending.records} records, ${pending.bytes} bytes wait for Kafka`);
    }
    pending.records += 1;
    pending.bytes += accepted.bytes;
    topicSender(record.topic).add(accepted);
    if (!expiring) void expire();
    return position;
  }

  async function start(): Promise<void> {
    for (const topic of options.topics ?? []) layouts.get(topic);
    await within(clock, connectWaitMs, layouts.start(), () => undefined);
    for (const topic of options.topics ?? []) {
      for (const partition of (layouts.get(topic) ?? []).keys()) laneOf(topic, partition);
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
