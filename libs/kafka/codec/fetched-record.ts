import type { IHeaders } from 'kafkajs';
import { ByteReader } from './byte-reader.ts';
import { eachHeader, putHeader } from './wire-headers.ts';

/** The fields of a record's batch that kafkajs reads. */
export interface BatchContext {
  producerId: string;
  inTransaction: boolean;
}

export interface BatchFacts {
  isControl: boolean;
  context: BatchContext;
}

/** A message of kafkajs whose parts are decoded on access. */
export class FetchedRecord {
  readonly offset: string;
  /** Milliseconds since the epoch: its creation, or its append if the topic is configured so. */
  readonly timestamp: string;
  // Kafka defines no attributes of records yet.
  readonly attributes = 0;
  readonly isControlRecord: boolean;
  readonly batchContext: BatchContext;
  /** Key, value and headers as on the wire. A view of the whole response, or of the decompressed batch. */
  readonly body: Buffer;

  constructor(place: { offset: string; timestamp: string }, batch: BatchFacts, body: Buffer) {
    this.offset = place.offset;
    this.timestamp = place.timestamp;
    this.isControlRecord = batch.isControl;
    this.batchContext = batch.context;
    this.body = body;
  }

  get key(): Buffer | null {
    return new ByteReader(this.body).varBytes();
  }

  get value(): Buffer | null {
    return this.#behind(1).varBytes();
  }

  get headers(): IHeaders {
    const headers: IHeaders = {};
    eachHeader(this.body, this.#behind(2).at, (name, reader, length) => {
      const value = (length < 0 ? null : reader.view(length)) as Buffer;
      const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
      putHeader(headers, name, known === undefined ? value : ([known, value].flat() as Buffer[]));
    });
    return headers;
  }

  /** @param parts of key and value, that are passed over */
  #behind(parts: number): ByteReader {
    const reader = new ByteReader(this.body);
    for (let left = parts; left > 0; left -= 1) reader.varBytes();
    return reader;
  }
}
