import { hasEnded, hasNotEnded, type Statement, upsertWaiting, waits } from '#lib/event-store';
import { type MovedCounts, selectMovedCounts } from './moved-counts.ts';

export interface OutcomeRow {
  tenant: string;
  delivery_id: string;
  event_id: string;
  endpoint_id: string;
  generation: number;
  step: number;
  attempt: number;
  status: string;
  at: string;
  created_at: string;
  next_attempt_at: string | null;
  detail: string | null;
  /** The one of the batch's outcomes of this delivery that says where it stands. */
  last: boolean;
  /** On the `last` one: the highest step that the delivery has come to so far. */
  reached_step: number;
  reached_attempt: number;
  /** The partition of `deliveries` that the endpoint's key falls into. */
  partition: number;
  due_at: string;
  /** Its row of `waiting` is the dispatcher's to write and remove. */
  ordered: boolean;
}

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
export const applyOutcomes: Statement<OutcomeRow, MovedCounts> = {
  name: 'apply-outcomes',
  columns: [
    'tenant',
    'delivery_id',
    'event_id',
    'endpoint_id',
    'generation',
    'step',
    'attempt',
    'status',
    'at',
    'created_at',
    'next_attempt_at',
    'detail',
    'last',
    'partition',
    'due_at',
    'ordered',
    'reached_step',
    'reached_attempt',
  ],
  text: `
    WITH incoming AS (
      SELECT *
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::int[], $8::text[],
                    $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::text[], $13::boolean[], $14::int[],
                    $15::timestamptz[], $16::boolean[], $17::int[], $18::int[])
             AS t (tenant, delivery_id, event_id, endpoint_id, generation, step, attempt, status,
                   at, created_at, next_attempt_at, detail, last, partition,
                   due_at, ordered, reached_step, reached_attempt)
    ), held AS (
      SELECT w.step
        FROM incoming i
        JOIN waiting w ON w.tenant = i.tenant AND w.delivery_id = i.delivery_id
       WHERE w.ordering_key IS NULL AND i.last
       ORDER BY w.tenant, w.delivery_id
         FOR UPDATE OF w
    ), advanced AS (
      INSERT INTO deliveries AS known (tenant, id, event_id, endpoint_id, generation, status, step, attempts,
                                       created_at, updated_at, next_attempt_at, detail)
      SELECT tenant, delivery_id, event_id, endpoint_id, generation, status, reached_step, reached_attempt,
             created_at, at, next_attempt_at, detail
        FROM incoming
       WHERE last AND (SELECT count(*) FROM held) >= 0
      ON CONFLICT (tenant, id) DO UPDATE
         SET status = EXCLUDED.status, step = greatest(known.step, EXCLUDED.step),
             attempts = greatest(known.attempts, EXCLUDED.attempts),
             created_at = EXCLUDED.created_at, updated_at = EXCLUDED.updated_at,
             next_attempt_at = EXCLUDED.next_attempt_at, detail = EXCLUDED.detail
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
    ), ${selectMovedCounts('advanced')}`,
};
