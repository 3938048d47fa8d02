import { deliveryCounts } from '#lib/contract';
import { columnNames, deliveryCountColumns, type RowOf, sqlStatus, type Statement, unnested } from '#lib/event-store';
import { countColumns, countedDeliveries, statusByCounts } from './moved-counts.ts';

/** By how much its counts move; those of duplicates are added as those of deliveries are. */
const columns = {
  tenant: 'text',
  event_id: 'text',
  /** The instant that the event gets if it has changed. */
  updated_at: 'timestamptz',
  duplicates: 'int',
  duplicates_changed: 'int',
  ...deliveryCountColumns,
} as const;

export type TouchedEvent = RowOf<typeof columns>;

const shown = ['status', 'generation', 'duplicates', 'duplicates_changed', ...deliveryCounts];
const columnsOf = (alias: string): string => shown.map((column) => `${alias}.${column}`).join(', ');
const listed = (column: (count: string) => string): string => deliveryCounts.map(column).join(',\n             ');

/**
 * Makes each event that was there before say what its fan-outs, deliveries and duplicates come to by now, whichever of them came first. Only an event that
 * changes gets its instant: pollers would else be shown again what they have seen.
 *
 *   received, not counted ── the event is here, and its set of generation 0 is known ──► counted from its deliveries, once
 *   counted ── a delivery is new, or has changed ──► its counts move by that, however many deliveries it has
 *
 * Until an event is counted it is not decided by its deliveries, whichever of them have ended: more of its set may come, even if a replay's
 * set is known before.
 *
 * An event that was erased stays as it is.
 *
 * For each endpoint its newest generation counts. Runs after all statements that write deliveries, by itself: a statement does not see what
 * it writes itself.
 */
export const decideEvents: Statement<TouchedEvent> = {
  name: 'decide-events',
  columns: columnNames(columns),
  text: `
    WITH touched AS (
      SELECT tenant, event_id AS id, updated_at AS new_updated_at,
             duplicates AS by_duplicates, duplicates_changed AS by_duplicates_changed,
             ${deliveryCounts.map((count) => `${count} AS by_${count}`).join(', ')}
        FROM ${unnested(columns, 't')}
    ), known AS MATERIALIZED (
      SELECT k.*
        FROM touched t
       CROSS JOIN LATERAL (
             SELECT t.*, ${columnsOf('e')}, e.counted,
                    (SELECT max(f.generation) FROM fan_outs f WHERE f.tenant = t.tenant AND f.event_id = t.id) AS newest,
                    e.counted OR EXISTS (SELECT FROM fan_outs f WHERE f.tenant = t.tenant AND f.event_id = t.id
                                                                  AND f.generation = 0) AS decided
               FROM events e
              WHERE e.tenant = t.tenant AND e.id = t.id AND e.status <> ${sqlStatus('erased')}
             OFFSET 0) AS k
    ), counted AS (
      SELECT k.tenant, k.id,
             ${countColumns()}
        FROM (SELECT tenant, id FROM known WHERE decided AND NOT counted) AS k
        LEFT JOIN LATERAL ${countedDeliveries('k')} AS d ON true
       GROUP BY k.tenant, k.id
    ), summed AS (
      SELECT k.tenant, k.id, k.new_updated_at, k.decided, k.status,
             CASE WHEN k.decided THEN k.newest ELSE k.generation END AS generation,
             k.duplicates + k.by_duplicates AS duplicates,
             k.duplicates_changed + k.by_duplicates_changed AS duplicates_changed,
             ${listed((count) => `CASE WHEN k.counted THEN k.${count} + k.by_${count} ELSE coalesce(c.${count}, k.${count}) END AS ${count}`)}
        FROM known k
        LEFT JOIN counted c ON c.tenant = k.tenant AND c.id = k.id
    ), decided AS (
      SELECT tenant, id, new_updated_at, decided AS counted, generation, duplicates, duplicates_changed,
             ${deliveryCounts.join(', ')},
             CASE WHEN decided THEN ${statusByCounts('summed')} ELSE status END AS status
        FROM summed
    )
    UPDATE events e
       SET updated_at = CASE WHEN (${columnsOf('e')}) IS DISTINCT FROM (${columnsOf('j')})
                             THEN j.new_updated_at ELSE e.updated_at END,
           counted = j.counted,
           ${shown.map((column) => `${column} = j.${column}`).join(', ')}
      FROM decided j
     WHERE e.tenant = j.tenant AND e.id = j.id
       AND (e.counted, ${columnsOf('e')}) IS DISTINCT FROM (j.counted, ${columnsOf('j')})`,
};
