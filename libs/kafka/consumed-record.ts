import type { KafkaMessage } from 'kafkajs';
import type { HeaderText } from '#lib/contract';
import type { IncomingRecord } from './port.ts';

type RawHeaders = Record<string, Buffer | readonly Buffer[]>;

/**
 * A record as handlers get it. Its bytes are copied into one buffer of its own: kafkajs hands out views of the whole fetch response,
 * and one record that waits long would keep megabytes of others alive.
 */
export class ConsumedRecord implements IncomingRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly rawHeaders: Readonly<RawHeaders>;
  /** What it takes in memory, about. */
  readonly bytes: number;
  readonly #onDone: (record: ConsumedRecord) => void;
  #done = false;
  #headers: HeaderText | undefined;

  constructor(
    position: { topic: string; partition: number; offset: bigint },
    message: KafkaMessage,
    onDone: (record: ConsumedRecord) => void,
  ) {
    this.topic = position.topic;
    this.partition = position.partition;
    this.offset = position.offset;
    this.#onDone = onDone;

    const headers = Object.entries(message.headers ?? {}).map(
      ([name, value]) => [name, Array.isArray(value) ? oneOrMore(value.filter(isBytes)) : asBuffer(value)] as const,
    );
    const headerBytes = headers.reduce((sum, [, value]) => sum + sizeOf(value), 0);
    const own = Buffer.allocUnsafe((message.key?.length ?? 0) + (message.value?.length ?? 0) + headerBytes);
    let at = 0;
    const copy = (source: Buffer): Buffer => {
      const start = at;
      at += source.copy(own, at);
      return own.subarray(start, at);
    };
    this.key = message.key && copy(message.key);
    this.value = copy(message.value ?? Buffer.alloc(0));
    this.rawHeaders = Object.fromEntries(
      headers.map(([name, value]) => [name, Array.isArray(value) ? value.map(copy) : copy(value)]),
    );
    this.bytes = own.length + 100 * (headers.length + 1);
  }

  get headers(): HeaderText {
    return (this.#headers ??= Object.fromEntries(
      Object.entries(this.rawHeaders).map(([name, value]) => [
        name,
        (Array.isArray(value) ? (value.at(-1) as Buffer) : (value as Buffer)).toString('utf8'),
      ]),
    ));
  }

  done(): void {
    if (this.#done) return;
    this.#done = true;
    this.#onDone(this);
  }
}

/** kafkajs takes what every object has for the first value of a header called `constructor`, `toString` or `__proto__`. */
const isBytes = (value: unknown): value is Buffer | string | null =>
  value === null || typeof value === 'string' || Buffer.isBuffer(value);

const oneOrMore = (values: (Buffer | string | null)[]): Buffer | Buffer[] =>
  values.length === 1 ? asBuffer(values[0]) : values.map(asBuffer);

function asBuffer(value: Buffer | string | null | undefined): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : (value ?? Buffer.alloc(0));
}

function sizeOf(value: Buffer | Buffer[]): number {
  return Array.isArray(value) ? value.reduce((sum, { length }) => sum + length, 0) : value.length;
}
