import type { EventRef, Statement } from './statement.ts';

export interface EventRow {
  tenant: string;
  id: string;
  source_id: string;
  event_id: string | null;
  type: string;
  receipt_id: string;
  origin: string;
  dedup_key: Buffer;
  received_at: string;
  updated_at: string;
  ordering_key: string | null;
  traceparent: string;
  content_type: string;
  payload: Buffer;
}

/** Events with their payloads and their own receipts; one that is known already stays as it is. Gives those that are new. */
export const insertEvents: Statement<EventRow, EventRef> = {
  name: 'insert-events',
  columns: [
    'tenant',
    'id',
    'source_id',
    'event_id',
    'type',
    'receipt_id',
    'origin',
    'dedup_key',
    'received_at',
    'updated_at',
    'ordering_key',
    'traceparent',
    'content_type',
    'payload',
  ],
  text: `
    WITH incoming AS (
      SELECT *
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[],
                    $9::timestamptz[], $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::bytea[])
             AS t (tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key,
                   received_at, updated_at, ordering_key, traceparent, content_type, payload)
    ), inserted AS (
      INSERT INTO events (tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key,
                          received_at, updated_at, ordering_key, traceparent)
      SELECT tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key,
             received_at, updated_at, ordering_key, traceparent
        FROM incoming
      ON CONFLICT (tenant, id) DO NOTHING
      RETURNING tenant, id
    ), payloads AS (
      INSERT INTO event_payloads (tenant, event_id, received_at, content_type, body)
      SELECT tenant, id, received_at, content_type, payload FROM incoming
      ON CONFLICT (tenant, event_id) DO NOTHING
    ), own_receipts AS (
      INSERT INTO receipts (tenant, origin, receipt_id, event_id, duplicate, received_at)
      SELECT tenant, origin, receipt_id, id, false, received_at FROM incoming
      ON CONFLICT (tenant, origin) DO NOTHING
    )
    SELECT tenant, id AS event_id FROM inserted`,
};
