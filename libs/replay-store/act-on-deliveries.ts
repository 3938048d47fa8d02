import type { ReplayOperation } from '#lib/contract';
import { dueNow, isOpen } from '#lib/event-store';
import type { Query } from '#lib/postgres';

/**
 * Does what a replay by filter asks of open deliveries: the owner of each partition sends or ends them then.
 *
 * @returns those of which it was asked; the others are in hand, have ended, or are asked already
 */
export async function actOnDeliveries(
  tx: Query,
  operation: ReplayOperation,
  tenant: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(operation === 'cancel_deliveries' ? cancel : makeDue, [tenant, ids]);
  return new Set(rows.map(({ id }) => id));
}

// Rows are locked in the order in which everybody locks them.
const cancel = `
  WITH found AS MATERIALIZED (
    SELECT id FROM deliveries
     WHERE tenant = $1 AND id = ANY ($2::text[]) AND ${isOpen('status')} AND NOT cancel_requested
     ORDER BY id
       FOR UPDATE
  )
  UPDATE deliveries d
     SET cancel_requested = true
    FROM found
   WHERE d.tenant = $1 AND d.id = found.id
  RETURNING d.id`;

const makeDue = `
  WITH found AS MATERIALIZED (
    SELECT w.delivery_id AS id
      FROM waiting w JOIN deliveries d ON d.tenant = w.tenant AND d.id = w.delivery_id
     WHERE w.tenant = $1 AND w.delivery_id = ANY ($2::text[]) AND isfinite(w.due_at) AND NOT d.cancel_requested
     ORDER BY w.delivery_id
       FOR UPDATE OF w
  )
  UPDATE waiting w
     SET due_at = ${dueNow('w')}
    FROM found
   WHERE w.tenant = $1 AND w.delivery_id = found.id
  RETURNING w.delivery_id AS id`;
