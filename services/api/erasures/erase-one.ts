import { markEvents, removeEventData } from '#lib/erasure';
import type { Query } from '#lib/postgres';
import { isAppError } from '#lib/runtime';
import type { Store } from '../resources/resource-table.ts';
import { type ErasureRow, findErasure, insertErasure, leaseNew, leaveToJob, setRemoved } from './erasure-row.ts';

interface One {
  tenant: string;
  /** The id of the erasure. */
  id: string;
  eventId: string;
  asOf: string;
}

/** An event with more is left to the job. */
const maxDeliveries = 500;

/**
 * Marks one event, and removes what belongs to it before it resolves, unless that takes long: apart from the mark, since the tenant's clock
 * is held for it. If that fails, or the process dies, the job does it.
 *
 * @param then what else the transaction of the mark does
 * @returns undefined if it is erased already, or not there
 */
export async function eraseOne(
  store: Store,
  { tenant, id, eventId, asOf }: One,
  then: (tx: Query) => Promise<void>,
): Promise<ErasureRow | undefined> {
  const isMarked = await store.transaction(async (tx) => {
    const marked = await markEvents(tx, { tenant, erasureId: id, ids: [eventId] });
    if (marked.length === 0) return false;
    const facts = { tenant, id, kind: 'events', state: 'marking', filter: null, event_id: eventId } as const;
    await insertErasure(tx, { ...facts, as_of: asOf, events: 1 });
    await leaseNew(tx, { tenant, id });
    await then(tx);
    return true;
  });
  if (!isMarked) return undefined;
  try {
    if (await isSmall(store, tenant, eventId))
      await setRemoved(store, { tenant, id }, eventId, await removeEventData(store, tenant, [eventId]));
    else await leaveToJob(store, { tenant, id });
  } catch (error) {
    if (!isAppError(error) || !error.retryable) throw error;
  }
  return findErasure(store, tenant, id);
}

async function isSmall(query: Query, tenant: string, eventId: string): Promise<boolean> {
  const beyond = await query.query(
    `SELECT FROM deliveries WHERE tenant = $1 AND event_id = $2 OFFSET ${maxDeliveries} LIMIT 1`,
    [tenant, eventId],
  );
  return beyond.length === 0;
}
