import { crc32c } from '@node-rs/crc32';
import { batchRecord, encodeRecordBatch } from '../../../libs/kafka/codec/record-batch.ts';
import type { Compression } from '../../../libs/kafka/codec/compression/compression.ts';

/** A batch whose bytes were changed on purpose, and that says so nowhere. */
export function withChecksum(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

interface Given {
  firstOffset?: number;
  compression?: Compression;
  /** Their number is the number of records. */
  values?: readonly string[];
}

/** A batch as a producer writes it, and the broker stores it. */
export function storedBatch({ firstOffset = 0, compression = 'none', values = ['a', 'b', 'c'] }: Given = {}): Buffer {
  const records = values.map((value) => batchRecord({ key: null, value: Buffer.from(value), headers: [] }));
  const batch = encodeRecordBatch(records, 1_795_000_000_000, compression);
  batch.writeBigInt64BE(BigInt(firstOffset), 0);
  return batch;
}

/** The same with other records in it, compressed or not. */
export function withRecords(batch: Buffer, codec: number, records: Buffer): Buffer {
  const changed = Buffer.concat([batch.subarray(0, 61), records]);
  changed.writeInt32BE(changed.length - 12, 8);
  changed.writeInt16BE(codec, 21);
  return withChecksum(changed);
}

export const recordsOf = (batch: Buffer): Buffer => batch.subarray(61);
