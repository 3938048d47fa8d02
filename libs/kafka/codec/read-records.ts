import { ByteReader } from './wire-types.ts';
import { UndecodableError } from './compression/undecodable.ts';
import { type BatchFacts, FetchedRecord } from './fetched-record.ts';

export interface RecordsHead {
  facts: BatchFacts;
  /** Exact as a double: below 2⁵³, as are times. */
  firstOffset: number;
  lastOffsetDelta: number;
  count: number;
  firstTimestampMs: number;
  /** The time of all records, if the topic has it so. */
  appendedAtMs: number | undefined;
}

/**
 * The records of a batch of format 2, decompressed.
 *
 * @throws UndecodableError or RangeError if they don't fill the bytes exactly, or their offsets are not those of the batch
 */
export function readRecords(head: RecordsHead, bytes: Buffer, at: number, into: FetchedRecord[]): void {
  const reader = new ByteReader(bytes, at);
  let lastDelta = -1;
  for (let left = head.count; left > 0; left -= 1) {
    const length = reader.varint();
    const end = reader.at + length;
    if (length < 0 || end > bytes.length) throw new RangeError(`${length} bytes at ${reader.at} of ${bytes.length}`);
    reader.int8(); // no attributes are defined
    const madeAtMs = head.firstTimestampMs + reader.varlong();
    const delta = reader.varint();
    if (delta <= lastDelta || delta > head.lastOffsetDelta) throw new UndecodableError('has records out of order');
    lastDelta = delta;
    const body = { bytes, start: reader.at, end };
    skipBody(reader, end);
    into.push(new FetchedRecord(head.firstOffset + delta, head.appendedAtMs ?? madeAtMs, head.facts, body));
  }
  if (reader.at !== bytes.length) throw new UndecodableError('has more bytes than its records');
}

/** Looks at each length in it, so that nothing that reads the record later has to doubt one. */
function skipBody(reader: ByteReader, end: number): void {
  reader.skipVarBytes();
  reader.skipVarBytes();
  for (let left = reader.varint(); left > 0 && reader.at <= end; left -= 1) {
    reader.skipVarBytes();
    reader.skipVarBytes();
  }
  if (reader.at !== end) throw new UndecodableError('has a record of another length than it says');
}
