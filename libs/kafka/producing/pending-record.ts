import type { AppError, Logger } from '#lib/runtime';
import type { Tracer } from '#lib/telemetry';
import { batchRecord, type BatchRecord } from '../codec/record-batch.ts';
import type { HeaderValue, OutgoingRecord, RecordPosition } from '../port.ts';
import type { ProduceOutcome } from './produce-answer.ts';

/** The producer that accepted a record: several may send by the same connections. */
export interface RecordOwner {
  /** After which a request with its records counts as unanswered. */
  readonly requestTimeoutMs: number;
  readonly tracer: Tracer;
  readonly log: Pick<Logger, 'warn'>;
  /** A request with its records has ended, for one partition. */
  requested(outcome: ProduceOutcome['kind'], seconds: number): void;
  ended(record: PendingRecord): void;
}

/** A record that `send` has accepted: its bytes and its promise. It ends once; later ends do nothing. */
export interface PendingRecord extends BatchRecord {
  readonly owner: RecordOwner;
  readonly topic: string;
  readonly bytes: number;
  readonly expiresAtMs: number;
  /** From when on it waits for no others. */
  readonly dueAtMs: number;
  ended(): boolean;
  acknowledge(position: RecordPosition): void;
  fail(error: AppError): void;
}

// The record's length, timestamp and offset deltas, and our own bookkeeping.
const overheadBytes = 64;

/** @throws TypeError if a header is neither text nor bytes: in a batch it would fail all other records */
export function createPendingRecord(
  record: OutgoingRecord,
  time: { expiresAtMs: number; dueAtMs: number },
  owner: RecordOwner,
): { pending: PendingRecord; position: Promise<RecordPosition> } {
  const { promise, resolve, reject } = Promise.withResolvers<RecordPosition>();
  const key = record.key === null ? null : toBuffer(record.key);
  const headers: (readonly [name: string, value: HeaderValue])[] = [];
  for (const name of Object.keys(record.headers)) {
    for (const value of valuesOf(record.headers[name] ?? [])) headers.push([name, value]);
  }
  const content = batchRecord({ key, value: record.value, headers });

  let ended = false;
  const end = (settle: () => void): void => {
    if (ended) return;
    ended = true;
    owner.ended(pending);
    settle();
  };
  const pending: PendingRecord = {
    owner,
    topic: record.topic,
    ...content,
    bytes: overheadBytes + content.bodyBytes,
    ...time,
    ended: () => ended,
    acknowledge: (position) => end(() => resolve(position)),
    fail: (error) => end(() => reject(error)),
  };
  return { pending, position: promise };
}

const valuesOf = (values: OutgoingRecord['headers'][string]): readonly HeaderValue[] =>
  typeof values === 'string' || Buffer.isBuffer(values) ? [values] : values;

function toBuffer(value: string | Buffer): Buffer {
  return typeof value === 'string' ? Buffer.from(value) : value;
}
