import type { EventRef, Statement } from '#lib/event-store';

export interface TouchedEvent extends EventRef {
  /** The instant that the event gets if it has changed. */
  updated_at: string;
  /** To be added to its counts. */
  duplicates: number;
  duplicates_changed: number;
}

/**
 * Makes each event say what its fan-outs, deliveries and duplicates come to by now, whichever of them came first. Only an event that
 * changes gets its instant: pollers would else be shown again what they have seen.
 *
 * Of each endpoint its newest delivery counts. Runs after all that writes deliveries, in a statement of its own: a statement does not
 * see what it writes itself.
 */
export const judgeEvents: Statement<TouchedEvent> = {
  name: 'judge-events',
  columns: ['tenant', 'event_id', 'updated_at', 'duplicates', 'duplicates_changed'],
  text: `
    WITH touched AS (
      SELECT *
        FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::int[], $5::int[])
             AS t (tenant, id, updated_at, duplicates, duplicates_changed)
    ), newest AS (
      SELECT DISTINCT ON (d.tenant, d.event_id, d.endpoint_id) d.tenant, d.event_id, d.status
        FROM touched t
        JOIN deliveries d ON d.tenant = t.tenant AND d.event_id = t.id
       ORDER BY d.tenant, d.event_id, d.endpoint_id, d.generation DESC
    ), counted AS (
      SELECT tenant, event_id,
             count(*) FILTER (WHERE status IN ('pending', 'parked'))::int AS pending,
             count(*) FILTER (WHERE status = 'retrying')::int AS retrying,
             count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
             count(*) FILTER (WHERE status = 'dead_lettered')::int AS dead_lettered,
             count(*) FILTER (WHERE status = 'cancelled')::int AS cancelled
        FROM newest
       GROUP BY tenant, event_id
    ), known AS (
      SELECT t.tenant, t.id, t.updated_at, t.duplicates, t.duplicates_changed,
             (SELECT max(f.generation) FROM fan_outs f WHERE f.tenant = t.tenant AND f.event_id = t.id) AS generation,
             coalesce(c.pending, 0) AS pending,
             coalesce(c.retrying, 0) AS retrying,
             coalesce(c.delivered, 0) AS delivered,
             coalesce(c.dead_lettered, 0) AS dead_lettered,
             coalesce(c.cancelled, 0) AS cancelled
        FROM touched t
        LEFT JOIN counted c ON c.tenant = t.tenant AND c.event_id = t.id
    ), judged AS (
      SELECT known.*,
             CASE WHEN generation IS NULL THEN 'received'
                  WHEN pending + retrying > 0 THEN 'processing'
                  WHEN dead_lettered > 0 THEN 'dead_lettered'
                  ELSE 'completed'
             END AS status
        FROM known
    )
    UPDATE events e
       SET updated_at = j.updated_at, status = j.status, duplicates = e.duplicates + j.duplicates,
           duplicates_changed = e.duplicates_changed + j.duplicates_changed,
           generation = j.generation, pending = j.pending, retrying = j.retrying, delivered = j.delivered,
           dead_lettered = j.dead_lettered, cancelled = j.cancelled
      FROM judged j
     WHERE e.tenant = j.tenant AND e.id = j.id
       AND (e.status, e.duplicates, e.duplicates_changed, e.generation,
            e.pending, e.retrying, e.delivered, e.dead_lettered, e.cancelled)
           IS DISTINCT FROM
           (j.status, e.duplicates + j.duplicates, e.duplicates_changed + j.duplicates_changed, j.generation,
            j.pending, j.retrying, j.delivered, j.dead_lettered, j.cancelled)`,
};
