/**
 * The Kafka port of the services, independent of the client library. test/support/kafka-conformance.ts tests what an implementation must
 * do, on a real cluster.
 */
import type { HeaderText } from '#lib/contract';
import type { Span } from '#lib/telemetry';

export type HeaderValue = string | Buffer;

export interface OutgoingRecord {
  topic: string;
  /** Chooses the partition (murmur2, as Kafka's Java client does). Without a key, records share a partition for one batch. */
  key: Buffer | string | null;
  value: Buffer;
  headers: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>;
  /**
   * For a record that delays nobody: how long it may wait for others to the same leader while records keep coming. Any request to the
   * leader takes it along. Default: the producer's own linger, which is shorter and skipped more often.
   */
  lingerMs?: number;
}

export interface RecordPosition {
  topic: string;
  partition: number;
  offset: bigint;
}

/** `topic-partition-offset` */
export const originOf = (position: { topic: string; partition: number; offset: bigint }): string =>
  `${position.topic}-${position.partition}-${position.offset}`;

export interface RecordProducer {
  /**
   * Resolves when the record's partition leader has acknowledged it with acks=all, in a checked response.
   *
   * A rejection means *not known to be written*: it may be on the topic nevertheless.
   *
   * Acknowledged records of one key are in the order of their `send`, by the first position of each: the next batch of a partition is sent
   * after the previous one has ended. A rejected record may be after later ones. If a response was lost, any record may be there twice,
   * again after later ones.
   *
   * @param timeoutMs a limit below the producer's own
   * @throws AppError queue_full at once, if the limit of waiting records or bytes is reached; kafka_unavailable at the time limit;
   *   data_invalid if the broker refuses the record itself (too large); stopped
   */
  send(record: OutgoingRecord, timeoutMs?: number): Promise<RecordPosition>;
  /** Records and bytes accepted by `send` that have not ended. */
  pending(): { records: number; bytes: number };
}

export interface IncomingRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: HeaderText;
  /** Headers as they came, for a dead letter that must keep them so. */
  readonly rawHeaders: Readonly<Record<string, Buffer | readonly Buffer[]>>;
  /** Aborts when its partition is lost, or the consumer stops: from then on `done` does nothing. */
  readonly signal: AbortSignal;
  /** The span of the work on it, if it is traced: see trace-records.ts. */
  readonly span?: Span;
  /**
   * The record's outcome is durable: its offset may be committed, once all before it are done too. Order does not matter; twice is
   * harmless; after the partition was lost it does nothing.
   */
  done(): void;
}

/** A batch of a partition that can't be decoded: of an unknown codec, broken, or too large when it is decompressed. */
export interface UndecodableBatch {
  readonly topic: string;
  readonly partition: number;
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  /** The codec's name. */
  readonly compression: string;
  /** Completes the sentence "the batch …". */
  readonly problem: string;
  /** All of it as on the wire. */
  readonly value: Buffer;
  /** Aborts when its partition is lost, or the consumer stops: from then on `done` does nothing. */
  readonly signal: AbortSignal;
  /** It is kept elsewhere, durably: the offsets of its records may be committed, once all before them are done too. */
  done(): void;
}

/**
 * Keeps a batch that can't be decoded, and calls `done`. It is not called for others of the partition meanwhile, nor is its handler. If it throws
 * before the batch's signal has aborted, the consumer fails and the process ends.
 */
export type UndecodableBatchHandler = (batch: UndecodableBatch) => Promise<void>;

export interface PartitionRef {
  topic: string;
  partition: number;
}

/**
 * Handles records of some partitions: those of a partition are adjacent and in offset order, and in one call at a time. A call may resolve
 * before they are done, and call `done` on each later. A handler must handle the failure of a single record itself. If it throws, the
 * consumer fails and the process ends.
 *
 * `signal` aborts when all of these partitions are lost, or the consumer stops: work that waits for a dependency then stops, leaving its
 * records undone. Work for a single lost partition is harmless but useless; each record's own signal tells.
 */
export type RecordHandler = (records: readonly IncomingRecord[], signal: AbortSignal) => Promise<void>;
