import { FetchedBatch, type FetchedMessage } from '../codec/fetched-batch.ts';
import { readRecordBatches } from '../codec/read-record-batches.ts';
import type { IncomingRecord, PartitionRef } from '../port.ts';
import { ConsumedRecord } from './consumed-record.ts';

type Opened = { records: IncomingRecord[] } | { problem: string };

/**
 * The records of a batch that could not be decoded when it was consumed, and was kept.
 *
 * @param bytes as on the wire
 * @param place where it stood
 * @param maxBytes the most that it may have when it is decompressed
 * @returns a problem that completes the sentence "the batch …" if it can't be decoded now either
 */
export function decodeKeptBatch(bytes: Buffer, place: PartitionRef, maxBytes: number): Opened {
  const found = readRecordBatches(bytes);
  return found.length === 0 ? { problem: 'is cut off' } : openKept(found, place, maxBytes);
}

/** The same of what was fetched. */
export function openKept(found: readonly FetchedMessage[], place: PartitionRef, maxBytes: number): Opened {
  const from = { ...place, signal: new AbortController().signal, onDone: () => undefined };
  const records: IncomingRecord[] = [];
  for (const message of found) {
    const opened = message instanceof FetchedBatch ? message.open(maxBytes) : { records: [message] };
    if ('problem' in opened) return opened;
    for (const record of opened.records) {
      if (record.isControlRecord) continue;
      records.push(new ConsumedRecord(from, record));
    }
  }
  return { records };
}
