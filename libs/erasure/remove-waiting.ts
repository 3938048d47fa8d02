/**
 * Removes the rows of `waiting` of an erasure's events that have no delivery: of a delivery in an order, which the dispatcher writes before the
 * projector writes the delivery, and of one that `rebuild waiting` has given back. No index has their events, so it is done once, at the end
 * of the erasure, and reads all that the tenant has waiting.
 */
import type { Query } from '#lib/postgres';
import type { RemovedRows } from './remove-event-data.ts';

const ofErasure = `
  SELECT w.ctid
    FROM waiting w
    JOIN erased x ON x.tenant = w.tenant AND x.id = w.event_id
   WHERE w.tenant = $1 AND x.erasure_id = $2`;

/** Rows are locked in the order in which everybody locks them. */
const inOrder = 'ORDER BY w.tenant, w.delivery_id FOR UPDATE OF w';

const remove = `
  DELETE FROM waiting WHERE ctid = ANY (ARRAY (${ofErasure} AND w.ordering_key IS NULL ${inOrder})) RETURNING 1`;

/** The owner of the partition ends it, and gives the next of its key its turn. */
const wakeOrdered = `
  UPDATE waiting
     SET due_at = least(due_at, clock_timestamp()), not_before = NULL
   WHERE ctid = ANY (ARRAY (${ofErasure} AND w.ordering_key IS NOT NULL AND isfinite(w.due_at) ${inOrder}))`;

export async function removeWaiting(query: Query, tenant: string, erasureId: string): Promise<RemovedRows> {
  const { length } = await query.query(remove, [tenant, erasureId]);
  await query.query(wakeOrdered, [tenant, erasureId]);
  return length === 0 ? {} : { waiting: length };
}
