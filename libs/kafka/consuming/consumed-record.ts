import type { KafkaMessage } from 'kafkajs';
import { type HeaderText, setOwn } from '#lib/contract';
import { ByteReader } from '../codec/wire-types.ts';
import { FetchedRecord } from '../codec/fetched-record.ts';
import { encodeBody } from '../codec/record-batch.ts';
import { eachHeader } from '../codec/wire-headers.ts';
import type { IncomingRecord } from '../port.ts';

type RawHeaders = Record<string, Buffer | readonly Buffer[]>;

/** The same for all records of a partition, for as long as this member has it. */
export interface ConsumedFrom {
  readonly topic: string;
  readonly partition: number;
  readonly signal: AbortSignal;
  /** May be called again for the same. */
  onDone(consumed: { readonly ticket: number; readonly bytes: number }): void;
}

const empty = Buffer.alloc(0);
/** Estimated memory of the objects around a record, and around each of its headers. */
const overheadBytes = 100;

/**
 * A record as handlers get it. Its bytes are copied into one buffer of its own, for they are a view of the whole fetch response, and one
 * record that waits long would keep megabytes of others alive. Key and headers are read when they are asked for.
 */
export class ConsumedRecord implements IncomingRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly signal: AbortSignal;
  readonly value: Buffer;
  /** When it was written, in milliseconds since the epoch. */
  readonly writtenAtMs: number;
  /** Estimated memory. */
  readonly bytes: number;
  /** The offset tracker's. */
  ticket = 0;
  readonly #from: ConsumedFrom;
  readonly #body: Buffer;
  readonly #headersAt: number;
  #headers: HeaderText | undefined;
  #rawHeaders: RawHeaders | undefined;

  constructor(from: ConsumedFrom, message: KafkaMessage | FetchedRecord) {
    this.topic = from.topic;
    this.partition = from.partition;
    this.offset = BigInt(message instanceof FetchedRecord ? message.position : message.offset);
    this.writtenAtMs = message instanceof FetchedRecord ? message.timestampMs : Number(message.timestamp);
    this.signal = from.signal;
    this.#from = from;

    this.#body = message instanceof FetchedRecord ? copyOf(message.bytes, message.start, message.end) : bodyOf(message);
    const reader = new ByteReader(this.#body);
    reader.skipVarBytes();
    this.value = reader.varBytes() ?? empty;
    this.#headersAt = reader.at;
    this.bytes = this.#body.length + overheadBytes * (reader.varint() + 1);
  }

  get key(): Buffer | null {
    return new ByteReader(this.#body).varBytes();
  }

  /** A repeated name has its last value. */
  get headers(): HeaderText {
    if (this.#headers !== undefined) return this.#headers;
    const headers: Record<string, string> = {};
    eachHeader(this.#body, this.#headersAt, (name, reader, length) =>
      // A value of null is empty.
      setOwn(headers, name, reader.text(Math.max(0, length))),
    );
    return (this.#headers = headers);
  }

  get rawHeaders(): Readonly<RawHeaders> {
    if (this.#rawHeaders !== undefined) return this.#rawHeaders;
    const headers: RawHeaders = {};
    eachHeader(this.#body, this.#headersAt, (name, reader, length) => {
      const value = reader.view(Math.max(0, length));
      const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
      setOwn<RawHeaders[string]>(headers, name, known === undefined ? value : [known, value].flat());
    });
    return (this.#rawHeaders = headers);
  }

  done(): void {
    this.#from.onDone(this);
  }
}

export function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}

/** Reads the headers of records that kafkajs has decoded itself (fetch-response.ts says when). */
const bodyOf = ({ key, value, headers = {} }: KafkaMessage): Buffer =>
  encodeBody({
    key,
    value: value ?? empty,
    headers: Object.entries(headers).flatMap(([name, values]) =>
      [values]
        .flat()
        .filter(isValue)
        .map((each) => [name, each ?? empty] as const),
    ),
  });

/** kafkajs takes what every object has for the first value of a header called `constructor`, `toString` or `__proto__`. */
const isValue = (value: unknown): value is Buffer | string | null =>
  value === null || typeof value === 'string' || Buffer.isBuffer(value);
