/**
 * What the services need from Kafka, independent of the client library. test/support/kafka-conformance.ts tests what an implementation must
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
   * For a record that delays nobody: how long it may wait for others that go to the same leader, while records keep coming. Any request there takes
   * it along. Default: the producer's own linger, which is shorter and oftener left out.
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
   * Resolves once the record's own partition leader has acknowledged it with acks=all, as said in an answer that was checked.
   *
   * A rejection means *not known to be written*: it may stand on the topic all the same.
   *
   * Records of one key that were acknowledged stand in the order of their `send`, by the first time that each stands there: the next batch
   * of a partition goes out when the one before has ended. A record that was rejected may stand behind later ones, and any may stand there
   * again, behind later ones, where an answer was lost.
   *
   * @param timeoutMs less than the producer's own limit, for whoever has less time
   * @throws AppError queue_full at once, where the bound on waiting records or bytes is reached; kafka_unavailable at the time limit;
   *   data_invalid where the broker refuses the record itself (too large); stopped
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
  /** Around the work on it, where that is traced: see trace-records.ts. */
  readonly span?: Span;
  /**
   * The record's outcome is durable: its offset may be committed, once all before it are done too. Order does not matter; twice is
   * harmless; after the partition was lost it does nothing.
   */
  done(): void;
}

export interface PartitionRef {
  topic: string;
  partition: number;
}

/**
 * Works on records of some partitions: those of a partition stand together, in offset order, and it is in one call at a time. A call may resolve
 * before they are done (it then calls `done` on each later). Trouble with one record is its own to handle. If it throws, the consumer
 * fails and the process ends.
 *
 * `signal` aborts when all of these partitions are lost, or the consumer stops: what waits for a dependency gives up then, leaving its records
 * undone. What is done for a partition that was lost alone is no harm, and of no use; each record's own signal tells.
 */
export type RecordHandler = (records: readonly IncomingRecord[], signal: AbortSignal) => Promise<void>;
