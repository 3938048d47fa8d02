import { FetchedBatch } from '../codec/fetched-batch.ts';
import { readRecordBatches } from '../codec/read-record-batches.ts';
import type { IncomingRecord, PartitionRef } from '../port.ts';
import { ConsumedRecord } from './consumed-record.ts';

/**
 * The records of a batch that could not be decoded when it was consumed, and was kept.
 *
 * @param bytes as on the wire
 * @param place where it stood
 * @param maxBytes the most that it may have when it is decompressed
 * @returns a problem that completes the sentence "the batch …" if it can't be decoded now either
 */
export function decodeKeptBatch(
  bytes: Buffer,
  place: PartitionRef,
  maxBytes: number,
): { records: IncomingRecord[] } | { problem: string } {
  const found = readRecordBatches(bytes);
  if (found.length === 0) return { problem: 'is cut off' };
  const { signal } = new AbortController();
  const records: IncomingRecord[] = [];
  for (const message of found) {
    const opened = message instanceof FetchedBatch ? message.open(maxBytes) : { records: [message] };
    if ('problem' in opened) return opened;
    for (const record of opened.records) {
      if (record.isControlRecord) continue;
      records.push(new ConsumedRecord({ ...place, offset: BigInt(record.offset), signal }, record, () => undefined));
    }
  }
  return { records };
}
