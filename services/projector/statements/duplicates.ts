import type { EventRef, Statement } from './statement.ts';

export interface DuplicateRow {
  tenant: string;
  origin: string;
  receipt_id: string;
  hinted_event_id: string;
  dedup_key: Buffer;
  changed: boolean;
  received_at: string;
}

/** By how many the duplicates of an event have become more (or, where a receipt goes to another event, fewer). */
export interface DuplicateCount extends EventRef {
  duplicates: number;
}

/**
 * Receipts of duplicates, unique by origin: only rows that are really new are counted, however often their records come.
 *
 * Which event a duplicate belongs to: the one that dedup named, where there is one of that id; else the one that owns the key by now
 * (dedup may have named an id that died with its worker, before anything was published); else the one named, for want of better, until
 * `adoptEarlyDuplicates` finds it an event.
 */
export const insertDuplicates: Statement<DuplicateRow, DuplicateCount> = {
  name: 'insert-duplicates',
  columns: ['tenant', 'origin', 'receipt_id', 'hinted_event_id', 'dedup_key', 'changed', 'received_at'],
  text: `
    WITH incoming AS (
      SELECT *
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::boolean[], $7::timestamptz[])
             AS t (tenant, origin, receipt_id, hinted_event_id, dedup_key, changed, received_at)
    ), inserted AS (
      INSERT INTO receipts (tenant, origin, receipt_id, event_id, duplicate, changed,
                            hinted_event_id, dedup_key, received_at)
      SELECT i.tenant, i.origin, i.receipt_id, coalesce(hinted.id, owner.event_id, i.hinted_event_id), true, i.changed,
             i.hinted_event_id, i.dedup_key, i.received_at
        FROM incoming i
        LEFT JOIN events hinted ON hinted.tenant = i.tenant AND hinted.id = i.hinted_event_id
        LEFT JOIN dedup_keys owner ON owner.tenant = i.tenant AND owner.key = i.dedup_key
      ON CONFLICT (tenant, origin) DO NOTHING
      RETURNING tenant, event_id
    )
    SELECT tenant, event_id, count(*)::int AS duplicates FROM inserted GROUP BY tenant, event_id`,
};

/**
 * For events that have just been inserted: duplicates that came before them. Receipts that already lead to the event are counted; those
 * that lead elsewhere for want of it (they name it; or they name one that does not exist, and nobody owned their key) are led here.
 */
export const adoptEarlyDuplicates: Statement<EventRef, DuplicateCount> = {
  name: 'adopt-early-duplicates',
  columns: ['tenant', 'event_id'],
  text: `
    WITH newcomer AS (
      SELECT e.tenant, e.id, e.dedup_key
        FROM unnest($1::text[], $2::text[]) AS t (tenant, id)
        JOIN events e ON e.tenant = t.tenant AND e.id = t.id
    ), waiting_here AS (
      SELECT r.tenant, r.event_id
        FROM newcomer n
        JOIN receipts r ON r.tenant = n.tenant AND r.event_id = n.id AND r.duplicate
    ), elsewhere AS (
      SELECT DISTINCT ON (r.tenant, r.origin) r.tenant, r.origin, r.event_id AS from_event_id, n.id AS to_event_id
        FROM newcomer n
        JOIN receipts r ON r.tenant = n.tenant AND r.dedup_key = n.dedup_key AND r.duplicate AND r.event_id <> n.id
       WHERE r.hinted_event_id = n.id
          OR (r.hinted_event_id = r.event_id
              AND NOT EXISTS (SELECT FROM events e WHERE e.tenant = r.tenant AND e.id = r.event_id))
       ORDER BY r.tenant, r.origin, (r.hinted_event_id = n.id) DESC, n.id
    ), moved AS (
      UPDATE receipts r SET event_id = m.to_event_id
        FROM elsewhere m
       WHERE r.tenant = m.tenant AND r.origin = m.origin
    )
    SELECT tenant, event_id, sum(change)::int AS duplicates
      FROM (SELECT tenant, event_id, 1 AS change FROM waiting_here
            UNION ALL
            SELECT tenant, to_event_id, 1 FROM elsewhere
            UNION ALL
            SELECT tenant, from_event_id, -1 FROM elsewhere) AS changes
     GROUP BY tenant, event_id`,
};
