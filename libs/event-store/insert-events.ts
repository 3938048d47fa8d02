import { addStatsFrom, receivedStats } from './add-stats.ts';
import { columnNames, listed, type RowOf, unnested } from './columns.ts';
import type { Statement } from './statement.ts';
import { arrivedColumns, eventColumns, payloadColumns, receiptColumns } from './tables.ts';

/** A key whose events have become more. */
export interface GrownKey {
  tenant: string;
  dedup_key: Buffer;
}

const { content_type, content_encoding, body } = payloadColumns;
/** Columns of `events` that are written as an event comes. */
const written = { ...arrivedColumns, updated_at: eventColumns.updated_at };
/** The fields of a new event that don't depend on its tenant's clock. */
export const newEventColumns = {
  ...arrivedColumns,
  body_hash: receiptColumns.body_hash,
  content_type,
  content_encoding,
  payload: body,
};
const columns = { ...newEventColumns, updated_at: eventColumns.updated_at };

type NewEvent = RowOf<typeof columns>;

/** Part of a statement that has its events as `incoming`: the receipt of each. */
export const ownReceipts = `
      INSERT INTO receipts AS known (${listed(receiptColumns)}, event_id, duplicate, settled)
      SELECT DISTINCT ON (tenant, origin)
             ${listed(receiptColumns)}, id, false, true
        FROM incoming
      -- A worker that had been paused can make a duplicate of what has become an event meanwhile.
      ON CONFLICT (tenant, origin) DO UPDATE
         SET event_id = EXCLUDED.event_id, duplicate = false, settled = true, changed = false, event_hint = NULL
       WHERE known.duplicate`;

/** Part of a statement that has its new events as `inserted`, with their tags: these, to be found by. */
export const ownTags = `
      INSERT INTO event_tags (tenant, tag, event_id)
      SELECT i.tenant, t.name || ':' || t.value, i.id
        FROM inserted i
       CROSS JOIN LATERAL jsonb_each_text(i.tags) AS t (name, value)
      ON CONFLICT DO NOTHING`;

/**
 * The beginning of a statement: events with their payloads and their own receipts; one that is known already stays as it is. New ones are
 * `inserted`.
 *
 * No request is stored with them: it is known of webhooks alone, which come by their topic.
 *
 * A payload comes with its event alone, and so is there once: of an event that comes again it may be kept no longer. New events are counted
 * (add-stats.ts).
 *
 * @param incoming a SELECT of `newEventColumns` and `updated_at`
 */
export const insertEventsFrom = (incoming: string): string => `
    WITH incoming AS (${incoming}
    ), inserted AS (
      INSERT INTO events (${listed(written)})
      SELECT ${listed(written)}
        FROM incoming
      ON CONFLICT (tenant, id) DO NOTHING
      RETURNING tenant, id, dedup_key, tags, source_id, type, received_at
    ), payloads AS (
      INSERT INTO event_payloads (${listed(payloadColumns)})
      SELECT tenant, id, incoming.received_at, content_type, content_encoding, payload, NULL
        FROM incoming
        JOIN inserted USING (tenant, id)
      ON CONFLICT DO NOTHING
    ), own_receipts AS (${ownReceipts}
    ), own_tags AS (${ownTags}
    ), ${addStatsFrom(receivedStats('inserted'))}`;

/** Gives the keys of those that are new. */
export const insertEvents: Statement<NewEvent, GrownKey> = {
  name: 'insert-events',
  columns: columnNames(columns),
  text: `${insertEventsFrom(`
      SELECT *
        FROM ${unnested(columns, 't')}`)}
    SELECT tenant, dedup_key FROM inserted`,
};
