import type { Registry } from 'prom-client';
import { AppError, type Clock, createPart, type Logger, type Part } from '#lib/runtime';
import { noTracer, type Tracer } from '#lib/telemetry';
import type { KafkaAccess } from '../access.ts';
import type { Compression } from '../codec/compression/compression.ts';
import { measureProducer } from '../metrics.ts';
import type { OutgoingRecord, RecordPosition, RecordProducer } from '../port.ts';
import { within } from '../time-limit.ts';
import { createPendingRecord, type PendingRecord, type RecordOwner } from './pending-record.ts';
import { createSendLinger } from './send-linger.ts';
import { createSending, type Sending, type SendingOptions } from './sending.ts';

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

/** @see createProducer */
export type CreateProducer = (options: ProducerOptions) => Part & RecordProducer;

export const defaultRequestTimeoutMs = 12_000;
const defaultLingerMs = 2;

/**
 * The collecting producer, with connections of its own: see sending.ts. `start` resolves with Kafka away too: records then wait for it and time
 * out.
 */
export const createProducer: CreateProducer = (options) =>
  createProducerBy(() => createSending(sendingOptionsOf(options)), options);

/** Producers that send by the same connections have them equal, but for what names who opens them. */
export const sendingOptionsOf = (options: ProducerOptions): SendingOptions => ({
  brokers: options.brokers,
  tls: options.tls,
  sasl: options.sasl,
  clientId: options.clientId,
  clock: options.clock,
  log: options.log,
  compression: options.compression ?? 'none',
  batches: { maxRecords: options.maxBatchRecords ?? 500, maxBytes: options.maxBatchBytes ?? 512 * 1024 },
  requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
  metadataRefreshMs: options.metadataRefreshMs ?? 30_000,
  random: options.random ?? Math.random,
});

/** @param openSending called once, at the start: its connections, or those that it shares */
export function createProducerBy(openSending: () => Sending, options: ProducerOptions): Part & RecordProducer {
  const { clock, log, tracer = noTracer } = options;
  const deliveryTimeoutMs = options.deliveryTimeoutMs ?? 30_000;
  const maxPending = {
    records: options.maxPendingRecords ?? 20_000,
    bytes: options.maxPendingBytes ?? 64 * 1024 * 1024,
  };
  const meter = measureProducer(options.metrics);
  const topics = new Set(options.topics);
  const pending = { records: 0, bytes: 0 };
  const linger = createSendLinger(options.lingerMs ?? defaultLingerMs);
  let sending: Sending | undefined;
  let state: 'new' | 'running' | 'flushing' | 'stopped' = 'new';
  let drained: (() => void) | undefined;

  const member = { topics, meter };
  const owner: RecordOwner = {
    requestTimeoutMs: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
    tracer,
    log,
    requested: meter.requested,
    ended(record: PendingRecord) {
      pending.records -= 1;
      pending.bytes -= record.bytes;
      sending?.ended();
      if (pending.records === 0) drained?.();
    },
  };

  async function send(record: OutgoingRecord, timeoutMs = deliveryTimeoutMs): Promise<RecordPosition> {
    if (state !== 'running' || sending === undefined) throw new AppError('stopped', `the producer is ${state}`);
    if (timeoutMs <= 0) throw new AppError('kafka_unavailable', 'there is no time left');
    const sentAtMs = clock.monotonicMs();
    const expiresAtMs = sentAtMs + Math.min(timeoutMs, deliveryTimeoutMs);
    const dueAtMs = sentAtMs + linger.next(record, sending.leaders(), sentAtMs);
    const { pending: accepted, position } = createPendingRecord(record, { expiresAtMs, dueAtMs }, owner);
    const full = pending.records >= maxPending.records || pending.bytes + accepted.bytes > maxPending.bytes;
    // A record larger than the whole bound would otherwise never pass.
    if (full && pending.records > 0) {
      throw new AppError('queue_full', `${pending.records} records, ${pending.bytes} bytes wait for Kafka`);
    }
    pending.records += 1;
    pending.bytes += accepted.bytes;
    topics.add(record.topic);
    sending.add(accepted);
    return position;
  }

  async function start(): Promise<void> {
    sending = openSending();
    await sending.join(member);
    state = 'running';
  }

  async function stop(): Promise<void> {
    state = 'flushing';
    const endFlush = sending?.flush();
    if (pending.records > 0) {
      const flushed = new Promise<void>((resolve) => (drained = resolve));
      await within(clock, options.flushTimeoutMs ?? 5_000, flushed, () => undefined);
    }
    sending?.failAll(owner);
    state = 'stopped';
    endFlush?.();
    await sending?.leave(member);
  }

  return {
    ...createPart('kafka producer', start, stop),
    send,
    pending: () => ({ ...pending }),
  };
}
