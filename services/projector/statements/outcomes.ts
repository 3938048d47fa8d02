import {
  columnNames,
  hasEnded,
  hasNotEnded,
  lastAttemptColumns,
  listed,
  type RowOf,
  type Statement,
  unnested,
  upsertWaiting,
  waits,
} from '#lib/event-store';
import { countColumns, type MovedCounts, moves } from './moved-counts.ts';

/** A step of a delivery. */
const columns = {
  tenant: 'text',
  delivery_id: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  generation: 'int',
  step: 'int',
  attempt: 'int',
  status: 'text',
  at: 'timestamptz',
  created_at: 'timestamptz',
  next_attempt_at: 'timestamptz?',
  detail: 'text?',
  /** The one of the batch's outcomes of this delivery that says where it stands. */
  last: 'boolean',
  /** The partition of `deliveries` that the endpoint's key falls into. */
  partition: 'int',
  due_at: 'timestamptz',
  /** Its row of `waiting` is the dispatcher's to write and remove. */
  ordered: 'boolean',
  /** On the `last` one: the highest step that the delivery has come to so far. */
  reached_step: 'int',
  reached_attempt: 'int',
  /** On the `last` one: which of the batch's outcomes are counted depends on the step that the delivery was at before. */
  counts_by_step: 'boolean',
  /** On the `last` one: the last send that led to it, among these; null: there was none. */
  ...lastAttemptColumns,
} as const;

export type OutcomeRow = RowOf<typeof columns>;

/** The deliveries of one event that were advanced, for the statistics, and by how much its counts have moved. */
export interface AdvancedEvent extends MovedCounts {
  /** False: its counts are 0, because the event is not counted yet. */
  has_moved: boolean;
  /** Null: the event is not in the tables. */
  source_id: string | null;
  type: string | null;
  /** A line for each: its id and, if it counts by that, a tab and the step that it was at before. No array, which takes long to read. */
  deliveries: string;
}
/** The attempt before stays the last where nothing was sent. */
const lastAttempt = columnNames(lastAttemptColumns)
  .map((name) => `${name} = CASE WHEN EXCLUDED.last_outcome IS NULL THEN known.${name} ELSE EXCLUDED.${name} END`)
  .join(',\n             ');

/**
 * Advances deliveries and their rows of `waiting`.
 *
 *   the delivery has ended    nothing changes: a final status is never left again
 *   step ≤ the delivery's     the same, unless it is an end: after a crash a delivery can be under way twice, and ends with the first
 *   step > the delivery's     the delivery is advanced, and with it its row of `waiting`, as it is by an end:
 *     retrying, parked          the row is written, unless the dispatcher has written a later one itself
 *     final                     the row is removed, up to this step
 *
 * The rows of deliveries that are sent in an order are left to the dispatcher, which writes and removes them itself.
 *
 * Rows of `waiting` follow only from a delivery that was advanced here and now. An old record that comes again can't bring back a row
 * that the dispatcher has removed: the delivery would be sent twice.
 *
 * The dispatcher removes rows of several deliveries at once. Before any is written or removed here, all are locked, in the order in which it
 * locks them: the two would wait for each other otherwise.
 */
export const applyOutcomes: Statement<OutcomeRow, AdvancedEvent> = {
  name: 'apply-outcomes',
  columns: columnNames(columns),
  text: `
    WITH incoming AS (
      SELECT *
        FROM ${unnested(columns, 't')}
    ), held AS (
      SELECT w.step
        FROM incoming i
        JOIN waiting w ON w.tenant = i.tenant AND w.delivery_id = i.delivery_id
       WHERE w.ordering_key IS NULL AND i.last
       ORDER BY w.tenant, w.delivery_id
         FOR UPDATE OF w
    ), earlier AS MATERIALIZED (
      SELECT i.tenant, i.delivery_id AS id,
             coalesce((SELECT d.step FROM deliveries d WHERE d.tenant = i.tenant AND d.id = i.delivery_id), 0) AS step
        FROM incoming i
       WHERE i.last AND i.counts_by_step
    ), advanced AS (
      INSERT INTO deliveries AS known (tenant, id, event_id, endpoint_id, generation, status, step, attempts,
                                       created_at, updated_at, next_attempt_at, detail, ${listed(lastAttemptColumns)})
      SELECT tenant, delivery_id, event_id, endpoint_id, generation, status, reached_step, reached_attempt,
             created_at, at, next_attempt_at, detail, ${listed(lastAttemptColumns)}
        FROM incoming
       WHERE last AND (SELECT count(*) FROM held) >= 0
      ON CONFLICT (tenant, id) DO UPDATE
         SET status = EXCLUDED.status, step = greatest(known.step, EXCLUDED.step),
             attempts = greatest(known.attempts, EXCLUDED.attempts),
             created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at,
             next_attempt_at = EXCLUDED.next_attempt_at, detail = EXCLUDED.detail,
             ${lastAttempt}
       WHERE (known.step < EXCLUDED.step OR ${hasEnded('EXCLUDED.status')})
         AND ${hasNotEnded('known.status')}
      RETURNING tenant, id, event_id, endpoint_id, generation, step, status
    ), waits AS (${upsertWaiting(`
      SELECT i.tenant, i.delivery_id, i.partition, i.endpoint_id, i.event_id, i.generation,
             i.status, i.due_at, i.step, i.attempt, i.created_at
        FROM advanced a
        JOIN incoming i ON i.tenant = a.tenant AND i.delivery_id = a.id AND i.last
       WHERE ${waits('a.status')} AND NOT i.ordered
       ORDER BY i.tenant, i.delivery_id`)}
    ), removed AS (
      DELETE FROM waiting w
       USING advanced a
       WHERE w.tenant = a.tenant AND w.delivery_id = a.id AND w.step <= a.step
         AND ${hasEnded('a.status')} AND w.ordering_key IS NULL
    ), ${moves('advanced')}
    SELECT tenant, event_id, max(source_id) AS source_id, max(type) AS type,
           string_agg(concat_ws(E'\\t', delivery_id, step_before), E'\\n') FILTER (WHERE delivery_id IS NOT NULL) AS deliveries,
           count(n) > 0 AS has_moved,
             ${countColumns('n')}
      FROM (SELECT a.tenant, a.event_id, NULL AS source_id, NULL AS type,
                   a.id AS delivery_id, e.step AS step_before, NULL AS status, NULL::int AS n
              FROM advanced a
              LEFT JOIN earlier e USING (tenant, id)
            UNION ALL
            SELECT tenant, event_id, source_id, type, NULL, NULL, NULL, NULL FROM changed_events
            UNION ALL
            SELECT tenant, event_id, NULL, NULL, NULL, NULL, status, n FROM moves) AS told
     GROUP BY tenant, event_id`,
};
