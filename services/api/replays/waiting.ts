/** Requests to send or cancel an open delivery. Only the owner of its partition then sends or ends it. */
import { dueNow, isOpen } from '#lib/event-store';
import type { Query } from '#lib/postgres';

/** `absent`: it is in hand, or has ended, or the tables do not know yet that it waits. */
export type MadeDue = 'due' | 'behind another' | 'to be cancelled' | 'absent';

/** @param set a test puts a defective variant in its place, to see itself fail */
export async function makeDue(
  postgres: Query,
  tenant: string,
  deliveryId: string,
  set = dueNow('w'),
): Promise<MadeDue> {
  const [row] = await postgres.query<{ first: boolean; cancel_requested: boolean }>(
    `UPDATE waiting w
        SET due_at = ${set}
       FROM deliveries d
      WHERE w.tenant = $1 AND w.delivery_id = $2 AND d.tenant = w.tenant AND d.id = w.delivery_id
      RETURNING isfinite(w.due_at) AS first, d.cancel_requested`,
    [tenant, deliveryId],
  );
  if (row === undefined) return 'absent';
  if (row.cancel_requested) return 'to be cancelled';
  return row.first ? 'due' : 'behind another';
}

/**
 * Does nothing if the delivery has ended. Stored with the delivery, not with its row of `waiting`, which comes and goes.
 *
 * @returns whether this request is the first
 */
export async function requestCancel(postgres: Query, tenant: string, deliveryId: string): Promise<boolean> {
  const requested = await postgres.query(
    `UPDATE deliveries
        SET cancel_requested = true
      WHERE tenant = $1 AND id = $2 AND ${isOpen('status')} AND NOT cancel_requested
      RETURNING id`,
    [tenant, deliveryId],
  );
  return requested.length > 0;
}
