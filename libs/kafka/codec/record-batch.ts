/**
 * A batch of records as on the wire and on the broker's disk: format 2 (KIP-98), not idempotent.
 *
 * Encoded in one pass into one buffer of the right size. kafkajs grows a zeroed buffer for each record and header, uses BigInt, and
 * computes the checksum in JavaScript: more work than everything else that the ingress does for a webhook. The bytes are the same
 * (test/unit/kafka/record-batch.test.ts compares them).
 */
import { crc32c } from '@node-rs/crc32';
import type { HeaderValue } from '../port.ts';
import { compress, type Compression, compressions } from './compression/compression.ts';

export interface RecordContent {
  readonly key: Buffer | null;
  readonly value: Buffer;
  /** A name with several values is repeated. */
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[];
}

export interface BatchRecord extends RecordContent {
  /** Bytes of key, value and headers in a batch. */
  readonly bodyBytes: number;
}

/** Computes the size of a record once, for its memory limit and its place in a batch. */
export const batchRecord = (content: RecordContent): BatchRecord => ({ ...content, bodyBytes: bodyBytes(content) });

const magic = 2;
const lengthAt = 8;
const crcAt = 17;
const attributesAt = 21;
const recordsAt = 61;
/** Base offset and the length itself, which the length leaves out. */
const beforeLength = 12;
const noProducer = -1n;

/**
 * @param timestampMs of every record: when the batch was made, in milliseconds since the epoch
 * @param compression of a batch that becomes smaller by it
 */
export function encodeRecordBatch(
  records: readonly BatchRecord[],
  timestampMs: number,
  compression: Compression = 'none',
): Buffer {
  const sizes = records.map(recordBytes);
  const total = sizes.reduce((sum, bytes) => sum + varintBytes(bytes) + bytes, recordsAt);
  const out = Buffer.allocUnsafe(total);
  const timestamp = BigInt(timestampMs);

  let at = out.writeBigInt64BE(0n, 0);
  at = out.writeInt32BE(total - beforeLength, at);
  at = out.writeInt32BE(0, at); // the leader's epoch, which the leader writes
  out.writeInt8(magic, at);
  at = out.writeInt16BE(0, attributesAt);
  at = out.writeInt32BE(records.length - 1, at);
  at = out.writeBigInt64BE(timestamp, at);
  at = out.writeBigInt64BE(timestamp, at);
  at = out.writeBigInt64BE(noProducer, at);
  at = out.writeInt16BE(0, at);
  at = out.writeInt32BE(0, at);
  at = out.writeInt32BE(records.length, at);
  for (const [offsetDelta, record] of records.entries()) {
    at = writeVarint(out, sizes[offsetDelta] ?? 0, at);
    at = writeRecord(out, record, offsetDelta, at);
  }
  const batch = compression === 'none' ? out : compressed(out, compression);
  batch.writeUInt32BE(crc32c(batch.subarray(attributesAt)), crcAt);
  return batch;
}

/** The head says how long the batch is, and by which codec its records are compressed; the rest stays. */
function compressed(batch: Buffer, compression: Compression): Buffer {
  const records = compress(compression, batch.subarray(recordsAt));
  if (recordsAt + records.length >= batch.length) return batch;
  const smaller = Buffer.allocUnsafe(recordsAt + records.length);
  batch.copy(smaller, 0, 0, recordsAt);
  records.copy(smaller, recordsAt);
  smaller.writeInt32BE(smaller.length - beforeLength, lengthAt);
  smaller.writeInt16BE(compressions.indexOf(compression), attributesAt);
  return smaller;
}

/** A record's key, value and headers as in a batch. */
export function encodeBody(record: RecordContent): Buffer {
  const out = Buffer.allocUnsafe(bodyBytes(record));
  writeBody(out, record, 0);
  return out;
}

/** Without its own length. */
function recordBytes({ bodyBytes }: BatchRecord, offsetDelta: number): number {
  const attributesAndTimestamp = 2;
  return attributesAndTimestamp + varintBytes(offsetDelta) + bodyBytes;
}

function bodyBytes({ key, value, headers }: RecordContent): number {
  let bytes = varintBytes(headers.length);
  bytes += key === null ? 1 : varintBytes(key.length) + key.length;
  bytes += varintBytes(value.length) + value.length;
  for (const [name, text] of headers) {
    const textBytes = Buffer.byteLength(text);
    bytes += encodedName(name).length + varintBytes(textBytes) + textBytes;
  }
  return bytes;
}

/** @returns the position after it */
function writeRecord(out: Buffer, record: BatchRecord, offsetDelta: number, start: number): number {
  let at = out.writeInt8(0, start); // no attributes are defined
  at = out.writeInt8(0, at); // the batch's own timestamp
  at = writeVarint(out, offsetDelta, at);
  return writeBody(out, record, at);
}

function writeBody(out: Buffer, { key, value, headers }: RecordContent, start: number): number {
  let at = key === null ? writeVarint(out, -1, start) : writeBytes(out, key, start);
  at = writeBytes(out, value, at);
  at = writeVarint(out, headers.length, at);
  for (const [name, text] of headers) {
    at = writeShort(out, encodedName(name), at);
    at = typeof text === 'string' ? writeText(out, text, at) : writeBytes(out, text, at);
  }
  return at;
}

function writeBytes(out: Buffer, bytes: Buffer, start: number): number {
  const at = writeVarint(out, bytes.length, start);
  return at + bytes.copy(out, at);
}

/** A call into the runtime costs more than the bytes of most headers. */
function writeText(out: Buffer, text: string, start: number): number {
  if (text.length > longestShort) return writeLongText(out, text, start);
  let at = start;
  out[at++] = zigzag(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return writeLongText(out, text, start);
    out[at++] = code;
  }
  return at;
}

function writeLongText(out: Buffer, text: string, start: number): number {
  const at = writeVarint(out, Buffer.byteLength(text), start);
  return at + out.write(text, at);
}

function writeShort(out: Buffer, bytes: Buffer, start: number): number {
  for (let index = 0; index < bytes.length; index += 1) out[start + index] = bytes[index] ?? 0;
  return start + bytes.length;
}

/** A name with its length before it. */
function encodedName(name: string): Buffer {
  const known = encodedNames.get(name);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(name);
  const encoded = Buffer.allocUnsafe(varintBytes(bytes) + bytes);
  writeLongText(encoded, name, 0);
  if (encodedNames.size < mostNames && bytes <= longestShort) encodedNames.set(name, encoded);
  return encoded;
}

/** Our names are few, short, and the same in every record; records of other producers may have any number of names, of any length. */
const encodedNames = new Map<string, Buffer>();
const mostNames = 256;
/** Its length is a byte. */
const longestShort = 63;

/** Zigzag, then seven bits a byte, the lowest first (as in Protocol Buffers). */
function writeVarint(out: Buffer, value: number, start: number): number {
  let rest = zigzag(value);
  let at = start;
  while (rest > 0x7f) {
    out[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  out[at++] = rest;
  return at;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = zigzag(value); rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
}

const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;
