/**
 * The records of a fetch response in one pass over the bytes. kafkajs makes a decoder for each record, counts in BigInt, and copies all
 * headers that it has for each that is added: more work than most handlers do for a record. It fails the whole response with one batch that it
 * can't decode.
 *
 * Each batch's checksum is compared, as Kafka's own clients do: snappy and plain records would not notice a flipped bit.
 */
import { crc32c } from '@node-rs/crc32';
import { decompress, nameOfCodec } from './compression/compression.ts';
import { UndecodableError } from './compression/undecodable.ts';
import { FetchedBatch, type FetchedMessage } from './fetched-batch.ts';
import type { FetchedRecord } from './fetched-record.ts';
import { isSoundMessage, readMessage } from './read-messages.ts';
import { readRecords, type RecordsHead } from './read-records.ts';

const magic = 2;
const lengthAt = 8;
const magicAt = 16;
const crcAt = 17;
const attributesAt = 21;
const lastOffsetDeltaAt = 23;
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

/** The last batch may be cut off; it is skipped then. */
export function readRecordBatches(bytes: Buffer): FetchedMessage[] {
  const found: FetchedMessage[] = [];
  for (let at = 0; at + magicAt < bytes.length;) {
    const end = endOf(bytes, at);
    if (end > bytes.length) break;
    const batch = bytes.subarray(at, Math.max(end, at + beforeLength));
    const isSound = isSoundAt(bytes, at);
    const isOlder = (batch[magicAt] ?? 0) < magic;
    if (isSound && isOlder) readMessage(batch, found);
    else if (isSound) readBatch(batch, found);
    else {
      // Its length is in no checksum: without a sound one after it, nobody knows where that begins.
      const nextOffset = end > at && isSoundAt(bytes, end) ? bytes.readBigInt64BE(end) : undefined;
      found.push(brokenBatch(bytes.subarray(at), end - at, nextOffset));
      if (nextOffset === undefined) break;
    }
    at = end;
  }
  return found;
}

const endOf = (bytes: Buffer, at: number): number => at + beforeLength + bytes.readInt32BE(at + lengthAt);

function isSoundAt(bytes: Buffer, at: number): boolean {
  if (at < 0 || at + magicAt >= bytes.length) return false;
  const end = endOf(bytes, at);
  if (end > bytes.length) return false;
  if ((bytes[at + magicAt] ?? 0) < magic) return isSoundMessage(bytes.subarray(at, end));
  return (
    bytes[at + magicAt] === magic &&
    end - at >= recordsAt &&
    bytes.readUInt32BE(at + crcAt) === crc32c(bytes.subarray(at + attributesAt, end))
  );
}

function readBatch(batch: Buffer, into: FetchedMessage[]): void {
  const head = headOf(batch);
  const codec = batch.readInt16BE(attributesAt) & compression;
  if (codec !== 0) {
    const decode = (maxBytes: number): FetchedRecord[] => {
      const records: FetchedRecord[] = [];
      readRecords(head, decompress(codec, batch.subarray(recordsAt), maxBytes), 0, records);
      return records;
    };
    into.push(fetchedBatch(batch, head, decode));
    return;
  }
  const records: FetchedRecord[] = [];
  try {
    readRecords(head, batch, recordsAt, records);
    into.push(...records);
  } catch (error) {
    into.push(
      fetchedBatch(batch, head, () => {
        throw error;
      }),
    );
  }
}

function headOf(batch: Buffer): RecordsHead {
  const attributes = batch.readInt16BE(attributesAt);
  return {
    facts: {
      isControl: (attributes & control) !== 0,
      context: {
        producerId: String(batch.readBigInt64BE(producerIdAt)),
        inTransaction: (attributes & transactional) !== 0,
      },
    },
    firstOffset: Number(batch.readBigInt64BE(0)),
    lastOffsetDelta: batch.readInt32BE(lastOffsetDeltaAt),
    count: batch.readInt32BE(countAt),
    firstTimestampMs: Number(batch.readBigInt64BE(firstTimestampAt)),
    appendedAtMs: (attributes & timeOfAppend) === 0 ? undefined : Number(batch.readBigInt64BE(maxTimestampAt)),
  };
}

function fetchedBatch(batch: Buffer, head: RecordsHead, decode: (maxBytes: number) => FetchedRecord[]): FetchedBatch {
  const firstOffset = batch.readBigInt64BE(0);
  return new FetchedBatch({
    firstOffset,
    lastOffset: firstOffset + BigInt(head.lastOffsetDelta),
    timestamp: String(head.appendedAtMs ?? head.firstTimestampMs),
    facts: head.facts,
    compression: nameOfCodec(batch.readInt16BE(attributesAt) & compression),
    bytes: batch,
    decode,
  });
}

/**
 * A batch whose bytes are not those that were written. It may say anything of itself: its last offset is believed if another field says the
 * same, for records that are skipped would be lost.
 *
 * @param rest from its beginning on
 * @param saidLength its length as it says
 * @param nextOffset that of a sound batch behind it
 */
function brokenBatch(rest: Buffer, saidLength: number, nextOffset: bigint | undefined): FetchedBatch {
  const isOlder = (rest[magicAt] ?? 0) < magic;
  const bytes = rest.subarray(0, saidLength > (isOlder ? magicAt : recordsAt) ? saidLength : undefined);
  const firstOffset = bytes.readBigInt64BE(0);
  const hasHead = !isOlder && bytes.length >= recordsAt;
  const delta = hasHead ? bytes.readInt32BE(lastOffsetDeltaAt) : 0;
  const isBelieved = hasHead && delta >= 0 && bytes.readInt32BE(countAt) === delta + 1;
  const head = hasHead ? headOf(bytes) : undefined;
  const untilNext = nextOffset !== undefined && nextOffset > firstOffset ? nextOffset - 1n : firstOffset;
  return new FetchedBatch({
    // A compressed message of the older formats has the offset of its last.
    firstOffset: isOlder ? undefined : firstOffset,
    lastOffset: isBelieved ? firstOffset + BigInt(delta) : untilNext,
    timestamp: String(head?.firstTimestampMs ?? -1),
    facts: head?.facts ?? { isControl: false, context: { producerId: '-1', inTransaction: false } },
    compression: hasHead ? nameOfCodec(bytes.readInt16BE(attributesAt) & compression) : 'unknown',
    bytes,
    decode() {
      const format = bytes[magicAt] ?? 0;
      throw new UndecodableError(
        format > magic
          ? `has the format ${format}, which is not known here`
          : 'is damaged: its checksum does not match',
      );
    },
  });
}
