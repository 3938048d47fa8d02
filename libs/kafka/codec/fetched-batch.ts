import { UndecodableError } from './compression/undecodable.ts';
import type { BatchContext, BatchFacts, FetchedRecord } from './fetched-record.ts';

/** As kafkajs recognizes the end of an aborted transaction. */
const abortMarker = Buffer.alloc(4);

type Opened = { records: FetchedRecord[] } | { problem: string };

interface Options {
  /** Undefined: only its records would tell. */
  firstOffset: bigint | undefined;
  lastOffset: bigint;
  timestamp: string;
  facts: BatchFacts;
  /** The codec's name. */
  compression: string;
  bytes: Buffer;
  /** @throws UndecodableError or RangeError */
  decode(maxBytes: number): FetchedRecord[];
}

/**
 * A batch that is decoded when its partition takes it, because it is compressed, or that can't be decoded at all. To kafkajs it is one message,
 * at the batch's last offset: it counts what is fetched and leaves out aborted transactions by that.
 */
export class FetchedBatch {
  readonly offset: string;
  readonly firstOffset: bigint | undefined;
  readonly lastOffset: bigint;
  readonly timestamp: string;
  readonly attributes = 0;
  /** A broken one that controls transactions is reported as any other. */
  readonly isControlRecord = false;
  readonly batchContext: BatchContext;
  /** Else what comes after a broken end of an aborted transaction would count as aborted. */
  readonly key: Buffer | null;
  readonly value = null;
  readonly headers = {};
  readonly compression: string;
  /** The whole batch as on the wire. A view of the whole response. */
  readonly bytes: Buffer;
  readonly #decode: Options['decode'];

  constructor({ firstOffset, lastOffset, timestamp, facts, compression, bytes, decode }: Options) {
    this.offset = String(lastOffset);
    this.firstOffset = firstOffset;
    this.lastOffset = lastOffset;
    this.timestamp = timestamp;
    this.batchContext = facts.context;
    this.key = facts.isControl ? abortMarker : null;
    this.compression = compression;
    this.bytes = bytes;
    this.#decode = decode;
  }

  /**
   * Its records, in offset order.
   *
   * @param maxBytes the most that they may have when they are decompressed
   */
  open(maxBytes: number): Opened {
    try {
      return { records: this.#decode(maxBytes) };
    } catch (error) {
      // A RangeError: something in it is said to be longer than the batch.
      if (error instanceof UndecodableError) return { problem: error.message };
      if (error instanceof RangeError) return { problem: `has a broken record: ${error.message}` };
      throw error;
    }
  }
}

export type FetchedMessage = FetchedRecord | FetchedBatch;
