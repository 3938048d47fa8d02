import type { IHeaders } from 'kafkajs';
import { setOwn } from '#lib/contract';
import { ByteReader } from './wire-types.ts';
import { eachHeader } from './wire-headers.ts';

/** The fields of a record's batch that kafkajs reads. */
export interface BatchContext {
  producerId: string;
  inTransaction: boolean;
}

export interface BatchFacts {
  isControl: boolean;
  context: BatchContext;
}

/** Bytes of a record: key, value and headers as on the wire. */
interface Body {
  /** The whole response, or the decompressed batch. */
  bytes: Buffer;
  start: number;
  end: number;
}

/** A message of kafkajs whose parts are decoded on access. */
export class FetchedRecord {
  /** Its offset: exact as a double, below 2⁵³. */
  readonly position: number;
  /** Milliseconds since the epoch: its creation, or its append if the topic is configured so. */
  readonly timestampMs: number;
  // Kafka defines no attributes of records yet.
  readonly attributes = 0;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly #batch: BatchFacts;

  constructor(position: number, timestampMs: number, batch: BatchFacts, { bytes, start, end }: Body) {
    this.position = position;
    this.timestampMs = timestampMs;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.#batch = batch;
  }

  get offset(): string {
    return String(this.position);
  }

  get timestamp(): string {
    return String(this.timestampMs);
  }

  get isControlRecord(): boolean {
    return this.#batch.isControl;
  }

  get batchContext(): BatchContext {
    return this.#batch.context;
  }

  get key(): Buffer | null {
    return this.#behind(0).varBytes();
  }

  get value(): Buffer | null {
    return this.#behind(1).varBytes();
  }

  get headers(): IHeaders {
    const headers: IHeaders = {};
    eachHeader(this.bytes, this.#behind(2).at, (name, reader, length) => {
      const value = (length < 0 ? null : reader.view(length)) as Buffer;
      const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
      setOwn(headers, name, known === undefined ? value : ([known, value].flat() as Buffer[]));
    });
    return headers;
  }

  /** @param parts of key and value, that are passed over */
  #behind(parts: number): ByteReader {
    const reader = new ByteReader(this.bytes, this.start);
    for (let left = parts; left > 0; left -= 1) reader.skipVarBytes();
    return reader;
  }
}
