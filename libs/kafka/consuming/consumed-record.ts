import type { KafkaMessage } from 'kafkajs';
import type { HeaderText } from '#lib/contract';
import { ByteReader } from '../codec/byte-reader.ts';
import type { FetchedRecord } from '../codec/fetched-record.ts';
import { encodeBody } from '../codec/record-batch.ts';
import { eachHeader, putHeader } from '../codec/wire-headers.ts';
import type { IncomingRecord } from '../port.ts';

type RawHeaders = Record<string, Buffer | readonly Buffer[]>;

const empty = Buffer.alloc(0);
/** Estimated memory of the objects around a record, and around each of its headers. */
const overheadBytes = 100;

/**
 * A record as handlers get it. Its bytes are copied into one buffer of its own, for they are a view of the whole fetch response, and one
 * record that waits long would keep megabytes of others alive. Headers are read when they are asked for.
 */
export class ConsumedRecord implements IncomingRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly signal: AbortSignal;
  readonly key: Buffer | null;
  readonly value: Buffer;
  /** Estimated memory. */
  readonly bytes: number;
  readonly #onDone: (record: ConsumedRecord) => void;
  readonly #body: Buffer;
  readonly #headersAt: number;
  #done = false;
  #headers: HeaderText | undefined;
  #rawHeaders: RawHeaders | undefined;

  constructor(
    position: { topic: string; partition: number; offset: bigint; signal: AbortSignal },
    message: KafkaMessage | FetchedRecord,
    onDone: (record: ConsumedRecord) => void,
  ) {
    this.topic = position.topic;
    this.partition = position.partition;
    this.offset = position.offset;
    this.signal = position.signal;
    this.#onDone = onDone;

    this.#body = 'body' in message ? copyOf(message.body) : bodyOf(message);
    const reader = new ByteReader(this.#body);
    this.key = reader.varBytes();
    this.value = reader.varBytes() ?? empty;
    this.#headersAt = reader.at;
    this.bytes = this.#body.length + overheadBytes * (reader.varint() + 1);
  }

  /** A repeated name has its last value. */
  get headers(): HeaderText {
    if (this.#headers !== undefined) return this.#headers;
    const headers: Record<string, string> = {};
    eachHeader(this.#body, this.#headersAt, (name, reader, length) =>
      // A value of null is empty.
      putHeader(headers, name, reader.text(Math.max(0, length))),
    );
    return (this.#headers = headers);
  }

  get rawHeaders(): Readonly<RawHeaders> {
    if (this.#rawHeaders !== undefined) return this.#rawHeaders;
    const headers: RawHeaders = {};
    eachHeader(this.#body, this.#headersAt, (name, reader, length) => {
      const value = reader.view(Math.max(0, length));
      const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
      putHeader<RawHeaders[string]>(headers, name, known === undefined ? value : [known, value].flat());
    });
    return (this.#rawHeaders = headers);
  }

  done(): void {
    if (this.#done) return;
    this.#done = true;
    this.#onDone(this);
  }
}

export function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(bytes.length);
  bytes.copy(copy);
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
