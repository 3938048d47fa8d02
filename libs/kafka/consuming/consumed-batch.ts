import type { UndecodableBatch } from '../port.ts';
import { type ConsumedFrom, copyOf } from './consumed-record.ts';

interface Options {
  /** Its place among the records of its partition. */
  offset: bigint;
  firstOffset: bigint;
  lastOffset: bigint;
  writtenAtMs: number;
  compression: string;
  problem: string;
  bytes: Buffer;
}

/** A batch that can't be decoded, in its place among the records of its partition. */
export class ConsumedBatch implements UndecodableBatch {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  readonly writtenAtMs: number;
  readonly compression: string;
  readonly problem: string;
  readonly signal: AbortSignal;
  readonly value: Buffer;
  /** Estimated memory. */
  readonly bytes: number;
  /** The offset tracker's. */
  ticket = 0;
  readonly #from: ConsumedFrom;

  constructor(from: ConsumedFrom, given: Options) {
    this.topic = from.topic;
    this.partition = from.partition;
    this.offset = given.offset;
    this.firstOffset = given.firstOffset;
    this.lastOffset = given.lastOffset;
    this.writtenAtMs = given.writtenAtMs;
    this.compression = given.compression;
    this.problem = given.problem;
    this.signal = from.signal;
    // A view would keep the whole fetch response alive.
    this.value = copyOf(given.bytes, 0, given.bytes.length);
    this.bytes = this.value.length;
    this.#from = from;
  }

  done(): void {
    this.#from.onDone(this);
  }
}
