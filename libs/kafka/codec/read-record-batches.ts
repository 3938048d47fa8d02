/**
 * The records of a fetch response in one pass over the bytes. kafkajs makes a decoder for each record, counts in BigInt, and copies all
 * headers that it has for each that is added: more work than most handlers do for a record.
 */
import type { IHeaders } from 'kafkajs';
import { ByteReader } from './byte-reader.ts';
import { eachHeader, putHeader } from './wire-headers.ts';

/** The fields of a record's batch that kafkajs reads. */
interface BatchContext {
  producerId: string;
  inTransaction: boolean;
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
  /** Key, value and headers as on the wire. A view of the whole response. */
  readonly body: Buffer;

  constructor(place: { offset: string; timestamp: string }, batch: Batch, body: Buffer) {
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

interface Batch {
  isControl: boolean;
  context: BatchContext;
}

const magic = 2;
const lengthAt = 8;
const magicAt = 16;
const attributesAt = 21;
const firstTimestampAt = 27;
const maxTimestampAt = 35;
const producerIdAt = 43;
const countAt = 57;
const recordsAt = 61;
/** Base offset and the length itself, which the length leaves out. */
const beforeLength = 12;

const compression = 0x07;
const timeOfAppend = 0x08;
const transactional = 0x10;
const control = 0x20;

/**
 * The last batch may be cut off; it is skipped then.
 *
 * @returns undefined if a batch is compressed, or has an older format: kafkajs decodes those
 */
export function readRecordBatches(bytes: Buffer): FetchedRecord[] | undefined {
  const records: FetchedRecord[] = [];
  for (let at = 0; at + recordsAt <= bytes.length;) {
    if (bytes[at + magicAt] !== magic) return undefined;
    const end = at + beforeLength + bytes.readInt32BE(at + lengthAt);
    if (end > bytes.length) break;
    if ((bytes.readInt16BE(at + attributesAt) & compression) !== 0) return undefined;
    readBatch(bytes.subarray(at, end), records);
    at = end;
  }
  return records;
}

function readBatch(batch: Buffer, into: FetchedRecord[]): void {
  // Both are exact as doubles: below 2⁵³.
  const firstOffset = Number(batch.readBigInt64BE(0));
  const firstTimestamp = Number(batch.readBigInt64BE(firstTimestampAt));
  const attributes = batch.readInt16BE(attributesAt);
  const appendedAt = (attributes & timeOfAppend) === 0 ? undefined : String(batch.readBigInt64BE(maxTimestampAt));
  const of = {
    isControl: (attributes & control) !== 0,
    context: {
      producerId: String(batch.readBigInt64BE(producerIdAt)),
      inTransaction: (attributes & transactional) !== 0,
    },
  };
  const reader = new ByteReader(batch, recordsAt);
  for (let left = batch.readInt32BE(countAt); left > 0; left -= 1) {
    const length = reader.varint();
    const end = reader.at + length;
    reader.int8(); // no attributes are defined
    const madeAt = firstTimestamp + reader.varlong();
    const offset = String(firstOffset + reader.varint());
    const timestamp = appendedAt ?? String(madeAt);
    into.push(new FetchedRecord({ offset, timestamp }, of, reader.view(end - reader.at)));
  }
}
