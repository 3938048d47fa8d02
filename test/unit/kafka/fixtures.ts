import type { KafkaMessage } from 'kafkajs';
import type { RecordPosition } from '#lib/kafka';
import { silentLogger } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import {
  createPendingRecord,
  type PendingRecord,
  type RecordOwner,
} from '../../../libs/kafka/producing/pending-record.ts';

/** A producer that takes no notice of what becomes of its records. */
export const anOwner: RecordOwner = {
  requestTimeoutMs: 12_000,
  tracer: noTracer,
  log: silentLogger,
  requested: () => undefined,
  ended: () => undefined,
};

export interface SentRecord {
  pending: PendingRecord;
  /** Undefined while open; then its position, or the code of its error. */
  end(): RecordPosition | string | undefined;
}

/** A record that was accepted, of about so many bytes. */
export function sentRecord(
  value: string | Buffer,
  options: { sentAtMs?: number; expiresAtMs?: number; dueAtMs?: number; key?: string | null; owner?: RecordOwner } = {},
): SentRecord {
  const { owner = anOwner, key = null, sentAtMs = 0, expiresAtMs = sentAtMs + 1_000, dueAtMs = sentAtMs } = options;
  const { pending, position } = createPendingRecord(
    { topic: 't', key, value: Buffer.from(value), headers: {} },
    { expiresAtMs, dueAtMs },
    owner,
  );
  let end: RecordPosition | string | undefined;
  position.then(
    (where) => (end = where),
    (error: { code: string }) => (end = error.code),
  );
  return { pending, end: () => end };
}

export const valuesOf = (records: readonly { value: Buffer }[]): string[] => records.map(({ value }) => String(value));

export const messages = (from: number, to: number): KafkaMessage[] =>
  Array.from({ length: to - from }, (_, i) => ({
    offset: String(from + i),
    key: null,
    value: Buffer.from(String(from + i)),
    timestamp: '0',
    attributes: 0,
    headers: {},
  }));

/** Lets everything run that waits for nothing but its turn. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
