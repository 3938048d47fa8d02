/**
 * Removes what belongs to marked events, table by table, in pages. The order that makes it whole:
 *
 *   1. the mark is committed
 *   2. what is there is removed
 *   3. every statement that has begun before the mark ends
 *   4. what is there is removed again: nothing comes after
 *
 * Writers ask for the mark after they have taken the tenant's clock, under which it is made; who takes no clock (payloads and attempts ahead
 * of their event, dead letters) asks within the statement that writes. So a statement from after the mark writes nothing, and one from before it
 * has written by step 4, whether it committed before the mark, between, or after step 2.
 *
 * Rows are found by the event that they name. Another table's row leads to none of them: that may come later, and then the mark keeps it from
 * coming at all.
 */
import { isOpen } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { emptying } from './tenant-data.ts';

/** Rows by table. */
export type RemovedRows = Record<string, number>;

const deliveriesAtOnce = 500;
const rowsAtOnce = 2_000;

const findDeliveries = `
  SELECT id FROM deliveries
   WHERE tenant = $1 AND event_id = ANY ($2::text[]) AND id > $3
   ORDER BY id
   LIMIT ${deliveriesAtOnce}`;

/**
 * Attempts of projectors from before attempts had the event. Rows of `waiting` are locked in the order in which everybody locks them; those
 * without a delivery are found at the end (remove-waiting.ts).
 */
const ofDeliveries = {
  attempts: `DELETE FROM attempts WHERE tenant = $1 AND delivery_id = ANY ($2::text[]) RETURNING 1`,
  waiting: `
    DELETE FROM waiting
     WHERE ctid = ANY (ARRAY (
             SELECT ctid FROM waiting
              WHERE tenant = $1 AND delivery_id = ANY ($2::text[]) AND ordering_key IS NULL
              ORDER BY tenant, delivery_id
                FOR UPDATE))
    RETURNING 1`,
  deliveries: `
    UPDATE deliveries
       SET ${emptying('deliveries')}
     WHERE tenant = $1 AND id = ANY ($2::text[])
       AND (detail IS DISTINCT FROM 'event_erased' OR status <> 'cancelled')
       AND (detail IS NOT NULL OR next_attempt_at IS NOT NULL OR ${isOpen('status')})
    RETURNING 1`,
} as const;

/** The owner of the partition ends it, and gives the next of its key its turn. */
const wakeOrdered = `
  UPDATE waiting
     SET due_at = least(due_at, clock_timestamp()), not_before = NULL
   WHERE tenant = $1 AND event_id = ANY ($2::text[]) AND delivery_id = ANY ($3::text[])
     AND ordering_key IS NOT NULL AND isfinite(due_at)`;

const page = (table: string): string => `
  DELETE FROM ${table}
   WHERE ctid = ANY (ARRAY (
           SELECT ctid FROM ${table} WHERE tenant = $1 AND event_id = ANY ($2::text[]) LIMIT ${rowsAtOnce}))
  RETURNING 1`;

/** By no time: a second record of the event may tell another, and its payload is in another day's partition. */
const removePayloads = `DELETE FROM event_payloads WHERE tenant = $1 AND event_id = ANY ($2::text[]) RETURNING 1`;

const removeAttempts = `
  DELETE FROM attempts a
   USING (SELECT delivery_id, step, delivery_at
            FROM attempts
           WHERE tenant = $1 AND event_id = ANY ($2::text[])
           LIMIT ${rowsAtOnce}) AS page
   WHERE a.tenant = $1 AND a.delivery_id = page.delivery_id AND a.step = page.step AND a.delivery_at = page.delivery_at
  RETURNING 1`;

export async function removeEventData(query: Query, tenant: string, ids: readonly string[]): Promise<RemovedRows> {
  const removed: RemovedRows = {};
  const run = async (table: string, text: string, of = ids): Promise<number> => {
    const { length } = await query.query(text, [tenant, of]);
    if (length > 0) removed[table] = (removed[table] ?? 0) + length;
    return length;
  };

  const runPaged = async (table: string, text = page(table)): Promise<void> => {
    for (let rows = rowsAtOnce; rows === rowsAtOnce;) rows = await run(table, text);
  };

  await run('event_payloads', removePayloads);
  await runPaged('attempts', removeAttempts);
  await run('outbox', page('outbox'));
  for (let after = ''; ;) {
    const deliveries = await query.query<{ id: string }>(findDeliveries, [tenant, ids, after]);
    const deliveryIds = deliveries.map(({ id }) => id);
    const last = deliveryIds.at(-1);
    if (last === undefined) break;
    for (const [table, text] of Object.entries(ofDeliveries)) await run(table, text, deliveryIds);
    await query.query(wakeOrdered, [tenant, ids, deliveryIds]);
    after = last;
    if (deliveryIds.length < deliveriesAtOnce) break;
  }
  for (const table of ['dead_letters', 'receipts', 'early_stats']) await runPaged(table);
  return removed;
}

export function addRemoved(sum: RemovedRows, more: RemovedRows): RemovedRows {
  const added = { ...sum };
  for (const [table, rows] of Object.entries(more)) added[table] = (added[table] ?? 0) + rows;
  return added;
}
