import type { UndecodableBatch } from '../port.ts';
import { copyOf } from './consumed-record.ts';

interface Options {
  topic: string;
  partition: number;
  firstOffset: bigint;
  lastOffset: bigint;
  compression: string;
  problem: string;
  signal: AbortSignal;
  bytes: Buffer;
}

/** A batch that can't be decoded, in its place among the records of its partition. */
export class ConsumedBatch implements UndecodableBatch {
  readonly topic: string;
  readonly partition: number;
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  readonly compression: string;
  readonly problem: string;
  readonly signal: AbortSignal;
  readonly value: Buffer;
  /** Estimated memory. */
  readonly bytes: number;
  readonly #onDone: (batch: ConsumedBatch) => void;
  #done = false;

  constructor(given: Options, onDone: (batch: ConsumedBatch) => void) {
    this.topic = given.topic;
    this.partition = given.partition;
    this.firstOffset = given.firstOffset;
    this.lastOffset = given.lastOffset;
    this.compression = given.compression;
    this.problem = given.problem;
    this.signal = given.signal;
    // A view would keep the whole fetch response alive.
    this.value = copyOf(given.bytes);
    this.bytes = this.value.length;
    this.#onDone = onDone;
  }

  done(): void {
    if (this.#done) return;
    this.#done = true;
    this.#onDone(this);
  }
}
