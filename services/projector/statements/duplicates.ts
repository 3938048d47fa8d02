import {
  columnNames,
  type EventRef,
  type GrownKey,
  listed,
  receiptColumns,
  type RowOf,
  sqlStatus,
  type Statement,
  unnested,
} from '#lib/event-store';

const columns = {
  ...receiptColumns,
  /** The event's id as dedup named it, or the end of it. */
  event_hint: 'text',
  client_address: 'text?',
} as const;

export type DuplicateRow = RowOf<typeof columns>;

/** By how many the duplicates of an event have become more (or, where a receipt goes to another event, fewer). */
export interface DuplicateCount extends EventRef {
  duplicates: number;
  /** How many of these have another body than the event's. */
  duplicates_changed: number;
  /** The minute of their receipts. */
  at: string;
  /** The event's. */
  source_id: string;
  type: string;
}

/**
 * Duplicates of events that were erased are left out: nothing of them is counted any more.
 *
 * @param moves a SELECT of tenant, event_id, at, duplicates and duplicates_changed
 */
const withEvents = (moves: string): string => `
    SELECT m.*, e.source_id, e.type
      FROM (${moves}) AS m
     CROSS JOIN LATERAL (
           SELECT source_id, type
             FROM events e
            WHERE e.tenant = m.tenant AND e.id = m.event_id AND e.status <> ${sqlStatus('erased')}
           OFFSET 0) AS e`;

/**
 * Finds the event that a duplicate `d` belongs to: the one that dedup named, among those with its key. Until that has come, the receipt
 * waits without an event, if dedup named the end of an id: it does so only for published events. A whole id may have died with its record,
 * before anything was published; such a duplicate belongs to another event of its key as long as none of that id comes: to the one that was
 * alive when it was received, as far as their times tell. `settled`: the named event was found, and the duplicate does not move any more.
 *
 * Events are found by their own receipts, which never change.
 */
const eventOf = (d: string): string => `
  SELECT own.event_id, own.body_hash, own.named
    FROM (SELECT r.event_id, r.body_hash, r.received_at,
                 right(r.event_id, length(${d}.event_hint)) = ${d}.event_hint AS named
            FROM receipts r
           WHERE r.tenant = ${d}.tenant AND r.dedup_key = ${d}.dedup_key AND NOT r.duplicate) AS own
   WHERE own.named OR length(${d}.event_hint) > 2
   ORDER BY own.named DESC, own.received_at <= ${d}.received_at DESC,
            greatest(own.received_at, ${d}.received_at) - least(own.received_at, ${d}.received_at), own.event_id
   LIMIT 1`;

/** Receipts of duplicates, unique by origin: only rows that are really new are counted, however often their records come. */
export const insertDuplicates: Statement<DuplicateRow, DuplicateCount> = {
  name: 'insert-duplicates',
  columns: columnNames(columns),
  text: `
    WITH incoming AS (
      SELECT *
        FROM ${unnested(columns, 't')}
    ), inserted AS (
      INSERT INTO receipts (${listed(columns)}, event_id, duplicate, settled, changed)
      SELECT ${listed(columns, 'i')}, event.event_id, true, coalesce(event.named, false),
             coalesce(event.body_hash <> i.body_hash, false)
        FROM incoming i
        LEFT JOIN LATERAL (${eventOf('i')}) AS event ON true
      ON CONFLICT (tenant, origin) DO NOTHING
      RETURNING tenant, event_id, changed, date_trunc('minute', received_at) AS at
    )
    ${withEvents(`
      SELECT tenant, event_id, at, count(*)::int AS duplicates, count(*) FILTER (WHERE changed)::int AS duplicates_changed
        FROM inserted
       WHERE event_id IS NOT NULL
       GROUP BY tenant, event_id, at`)}`,
};

/** For the keys of events that have just been inserted: duplicates that came before them go where they belong now. */
export const adoptEarlyDuplicates: Statement<GrownKey, DuplicateCount> = {
  name: 'adopt-early-duplicates',
  columns: ['tenant', 'dedup_key'],
  text: `
    WITH grown AS (
      SELECT DISTINCT tenant, dedup_key FROM unnest($1::text[], $2::bytea[]) AS t (tenant, dedup_key)
    ), moving AS (
      SELECT d.tenant, d.origin, d.event_id AS from_event_id, d.changed AS was_changed,
             event.event_id AS to_event_id, event.named, event.body_hash <> d.body_hash AS changed,
             date_trunc('minute', d.received_at) AS at
        FROM grown g
        JOIN receipts d ON d.tenant = g.tenant AND d.dedup_key = g.dedup_key AND NOT d.settled
        JOIN LATERAL (${eventOf('d')}) AS event ON event.event_id IS DISTINCT FROM d.event_id
    ), moved AS (
      UPDATE receipts r SET event_id = m.to_event_id, settled = m.named, changed = m.changed
        FROM moving m
       WHERE r.tenant = m.tenant AND r.origin = m.origin
    )
    ${withEvents(`
      SELECT tenant, event_id, at, sum(duplicates)::int AS duplicates, sum(changed)::int AS duplicates_changed
        FROM (SELECT tenant, to_event_id AS event_id, at, 1 AS duplicates, changed::int AS changed FROM moving
              UNION ALL
              SELECT tenant, from_event_id, at, -1, -was_changed::int FROM moving WHERE from_event_id IS NOT NULL) AS changes
       GROUP BY tenant, event_id, at`)}`,
};
