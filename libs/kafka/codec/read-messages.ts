/**
 * Messages of the formats before record batches (magic 0 and 1), as brokers still have them on disk from the time before Kafka 0.11. One that is
 * compressed has a set of messages as its value: https://kafka.apache.org/documentation/#messageset
 */
import { crc32 } from 'node:zlib';
import { ByteReader } from './wire-types.ts';
import { decompress, nameOfCodec } from './compression/compression.ts';
import { UndecodableError } from './compression/undecodable.ts';
import { FetchedBatch, type FetchedMessage } from './fetched-batch.ts';
import { type BatchFacts, FetchedRecord } from './fetched-record.ts';
import { encodeBody } from './record-batch.ts';

const lengthAt = 8;
const crcAt = 12;
const magicAt = 16;
/** Offset and the length itself, which the length leaves out. */
const beforeLength = 12;
/** The least message has neither key nor value, nor a time. */
const leastBytes = 26;
const compression = 0x07;
const timeOfAppend = 0x08;
const noTime = '-1';

const noTransaction: BatchFacts = { isControl: false, context: { producerId: '-1', inTransaction: false } };

interface Message {
  offset: bigint;
  attributes: number;
  timestamp: string;
  key: Buffer | null;
  value: Buffer | null;
}

export const isSoundMessage = (message: Buffer): boolean =>
  message.length >= leastBytes && message.readUInt32BE(crcAt) === crc32(message.subarray(magicAt));

/** @param bytes a whole one, with its offset and length before it */
export function readMessage(bytes: Buffer, into: FetchedMessage[]): void {
  let message: Message | undefined;
  let problem: unknown;
  try {
    message = parse(bytes);
  } catch (error) {
    problem = error;
  }
  if (message !== undefined && (message.attributes & compression) === 0) {
    into.push(recordOf(message));
    return;
  }
  const { attributes = 0, timestamp = noTime } = message ?? {};
  into.push(
    new FetchedBatch({
      firstOffset: undefined,
      lastOffset: bytes.readBigInt64BE(0),
      timestamp,
      facts: noTransaction,
      compression: nameOfCodec(attributes & compression),
      bytes,
      decode(maxBytes) {
        if (message === undefined) throw problem;
        return readSet(message, bytes[magicAt] ?? 0, maxBytes);
      },
    }),
  );
}

function parse(bytes: Buffer): Message {
  const reader = new ByteReader(bytes, magicAt);
  const hasTime = reader.int8() > 0;
  const attributes = reader.int8();
  const timestamp = hasTime ? String(reader.int64()) : noTime;
  return { offset: bytes.readBigInt64BE(0), attributes, timestamp, key: reader.bytes32(), value: reader.bytes32() };
}

function readSet(outer: Message, format: number, maxBytes: number): FetchedRecord[] {
  const set = decompress(outer.attributes & compression, outer.value ?? Buffer.alloc(0), maxBytes);
  const messages: Message[] = [];
  for (let at = 0; at < set.length;) {
    const end = at + lengthAt + 4 > set.length ? set.length + 1 : at + beforeLength + set.readInt32BE(at + lengthAt);
    if (end < at + leastBytes || end > set.length) throw new UndecodableError('has a message that is cut off');
    const message = parse(set.subarray(at, end));
    if ((message.attributes & compression) !== 0) throw new UndecodableError('has a compressed message in another');
    messages.push(message);
    at = end;
  }
  const last = messages.at(-1);
  if (last === undefined) throw new UndecodableError('has no message');
  // In format 1 they are counted from 0, and the outer one has the offset of the last.
  const base = format === 0 ? 0n : outer.offset - last.offset;
  const isAppended = (outer.attributes & timeOfAppend) !== 0;
  return messages.map((message) =>
    recordOf({
      ...message,
      offset: base + message.offset,
      timestamp: isAppended ? outer.timestamp : message.timestamp,
    }),
  );
}

function recordOf({ offset, timestamp, key, value }: Message): FetchedRecord {
  const bytes = encodeBody({ key, value: value ?? Buffer.alloc(0), headers: [] });
  return new FetchedRecord(Number(offset), Number(timestamp), noTransaction, { bytes, start: 0, end: bytes.length });
}
