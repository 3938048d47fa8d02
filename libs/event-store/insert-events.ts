import { columnNames, type Columns, type RowOf, unnested } from './columns.ts';
import type { Statement } from './statement.ts';

/** A key whose events have become more. */
export interface GrownKey {
  tenant: string;
  dedup_key: Buffer;
}

/** The columns of an event and its receipt. */
export const eventColumns = {
  tenant: 'text',
  id: 'text',
  source_id: 'text',
  event_id: 'text?',
  type: 'text',
  receipt_id: 'text',
  origin: 'text',
  dedup_key: 'bytea',
  received_at: 'timestamptz',
  ordering_key: 'text?',
  traceparent: 'text',
  /** Told from the payload as dedup tells it from the body: see libs/dedup-store. */
  body_hash: 'bytea',
} as const satisfies Columns;

const columns = {
  ...eventColumns,
  updated_at: 'timestamptz',
  content_type: 'text',
  content_encoding: 'text?',
  payload: 'bytea',
} as const satisfies Columns;

type NewEvent = RowOf<typeof columns>;

/** Part of a statement that has its events as `incoming`: the receipt of each. */
export const ownReceipts = `
      INSERT INTO receipts AS known (tenant, origin, receipt_id, event_id, duplicate, settled,
                                     dedup_key, body_hash, received_at)
      SELECT DISTINCT ON (tenant, origin)
             tenant, origin, receipt_id, id, false, true, dedup_key, body_hash, received_at
        FROM incoming
      -- A worker that had been paused can make a duplicate of what has become an event meanwhile.
      ON CONFLICT (tenant, origin) DO UPDATE
         SET event_id = EXCLUDED.event_id, duplicate = false, settled = true, changed = false, event_hint = NULL
       WHERE known.duplicate`;

/**
 * Events with their payloads and their own receipts; one that is known already stays as it is. Gives the keys of those that are
 * new.
 *
 * A payload comes with its event alone, and so is there once: of an event that comes again it may be kept no longer.
 */
export const insertEvents: Statement<NewEvent, GrownKey> = {
  name: 'insert-events',
  columns: columnNames(columns),
  text: `
    WITH incoming AS (
      SELECT *
        FROM ${unnested(columns, 't')}
    ), inserted AS (
      INSERT INTO events (tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key,
                          received_at, updated_at, ordering_key, traceparent)
      SELECT tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key,
             received_at, updated_at, ordering_key, traceparent
        FROM incoming
      ON CONFLICT (tenant, id) DO NOTHING
      RETURNING tenant, id, dedup_key
    ), payloads AS (
      INSERT INTO event_payloads (tenant, event_id, received_at, content_type, content_encoding, body)
      SELECT tenant, id, received_at, content_type, content_encoding, payload
        FROM incoming
        JOIN inserted USING (tenant, id)
      ON CONFLICT DO NOTHING
    ), own_receipts AS (${ownReceipts}
    )
    SELECT tenant, dedup_key FROM inserted`,
};
