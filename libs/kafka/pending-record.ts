import type { IHeaders } from 'kafkajs';
import type { AppError } from '#lib/errors';
import type { OutgoingRecord, RecordPosition } from './port.ts';

/** A record that `send` has accepted: what goes on the wire, and the promise that it owes. It ends once; later ends do nothing. */
export interface PendingRecord {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: IHeaders;
  readonly bytes: number;
  readonly sentAtMs: number;
  readonly expiresAtMs: number;
  ended(): boolean;
  acknowledge(position: RecordPosition): void;
  fail(error: AppError): void;
}

// Lengths, timestamp and offset deltas, and what our own bookkeeping takes.
const overheadBytes = 64;

/**
 * Everything as Buffers: kafkajs measures and writes each header's text twice, and a value of another type would fail in the middle
 * of encoding a whole batch.
 */
export function createPendingRecord(
  record: OutgoingRecord,
  time: { sentAtMs: number; expiresAtMs: number },
  onEnd: (record: PendingRecord) => void,
): { pending: PendingRecord; position: Promise<RecordPosition> } {
  const { promise, resolve, reject } = Promise.withResolvers<RecordPosition>();
  const key = record.key === null ? null : toBuffer(record.key);
  const headers: Record<string, Buffer | Buffer[]> = {};
  let bytes = overheadBytes + (key?.length ?? 0) + record.value.length;
  for (const [name, value] of Object.entries(record.headers)) {
    const buffers = Array.isArray(value) ? value.map(toBuffer) : toBuffer(value as string | Buffer);
    headers[name] = buffers;
    bytes += name.length;
    bytes += Array.isArray(buffers) ? buffers.reduce((sum, { length }) => sum + length, 0) : buffers.length;
  }

  let ended = false;
  const end = (settle: () => void): void => {
    if (ended) return;
    ended = true;
    onEnd(pending);
    settle();
  };
  const pending: PendingRecord = {
    topic: record.topic,
    key,
    value: record.value,
    headers,
    bytes,
    ...time,
    ended: () => ended,
    acknowledge: (position) => end(() => resolve(position)),
    fail: (error) => end(() => reject(error)),
  };
  return { pending, position: promise };
}

function toBuffer(value: string | Buffer): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
