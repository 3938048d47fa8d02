/**
 * Follows the deliveries of replays to their ends. What was sent says nothing about whether it arrived: an item keeps its delivery's outcome,
 * its replay the counts, and a replay that was sent ends when none is open. Any process may look: the replay's row is locked meanwhile, and
 * one that another looks at is passed over.
 *
 * The older a replay, the more seldom it is looked at: a delivery that is retried for days ends between two looks that are half a minute
 * apart. A look takes the next few thousand open items; an ended one is never looked at again.
 */
import { type DeliveryStatus, finalStatuses, isFinal } from '#lib/contract';
import { sqlStatus } from '#lib/event-store';
import type { Postgres, Query } from '#lib/postgres';
import { statusAtTheEnd } from './replay-row.ts';

/** Within the time of one statement. */
const itemsAtOnce = 5_000;
const soonestMs = 500;
const latestMs = 30_000;
/** The wait for the next look, as a part of the time since the last item was sent. */
const partOfAge = 1 / 20;

/** The part of an UPDATE of `replays` that has so many more deliveries followed. @param count a parameter */
export const follow = (count: string): string =>
  `followed = followed + ${count}::int, look_at = CASE WHEN ${count}::int > 0 THEN clock_timestamp() ELSE look_at END`;

/** @returns how many replays were looked at. @throws AppError store_unavailable */
export async function followReplays(postgres: Postgres, most: number): Promise<number> {
  // Most of the time none is due: one statement a look, and no transaction.
  if ((await postgres.query(anyDue, [], 'any-replay-to-follow')).length === 0) return 0;
  for (let looked = 0; looked < most; looked += 1) if (!(await postgres.transaction(followNext))) return looked;
  return most;
}

const anyDue = 'SELECT FROM replays WHERE look_at <= clock_timestamp() LIMIT 1';

/** The replay that has waited longest for a look. False: none is due. */
async function followNext(tx: Query): Promise<boolean> {
  const [replay] = await tx.query<{ tenant: string; id: string; looked_to: number }>(
    `SELECT tenant, id, looked_to FROM replays
      WHERE look_at <= clock_timestamp()
      ORDER BY look_at
      LIMIT 1
        FOR UPDATE SKIP LOCKED`,
    [],
  );
  if (replay === undefined) return false;
  const { tenant, id, looked_to: after } = replay;
  const open = await tx.query<OpenItem>(openItems, [tenant, id, after, itemsAtOnce]);
  const ended = await endedAmong(tx, tenant, open);
  const items = ended.map(({ item }) => item);
  if (items.length > 0)
    await tx.query(settleItems, [
      ...[tenant, id, items, ended.map(({ status }) => status), Math.min(...items), Math.max(...items)],
    ]);
  const counts = finalStatuses.map((status) => ended.filter((each) => each.status === status).length);
  const lookedTo = open.length < itemsAtOnce ? 0 : (open.at(-1)?.item ?? 0);
  await tx.query(count, [tenant, id, lookedTo, ...counts]);
  return true;
}

interface OpenItem {
  item: number;
  delivery_id: string | null;
  event_id: string;
  endpoint_id: string;
  generation: number;
}

const openItems = `
  SELECT item, delivery_id, event_id, endpoint_id, generation
    FROM replay_items
   WHERE tenant = $1 AND replay_id = $2 AND item > $3::int AND outcome = 'waiting'
   ORDER BY item
   LIMIT $4`;

/**
 * Rows are looked up one by one, by the indexes of ids and events: for a list of them, the planner would read a table whose size it does not
 * know yet. By the index of endpoints (hence the `|| ''`) it would read all that the endpoint ever got, for each of them.
 */
const statusesOfItems = `
  SELECT wanted.item,
         CASE WHEN found.status IS NOT NULL THEN found.status
              WHEN NOT EXISTS (SELECT FROM events e WHERE e.tenant = $1 AND e.id = wanted.event_id AND e.status <> 'erased')
              THEN ${sqlStatus('cancelled')} END AS status
    FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::int[]) AS wanted (item, delivery_id, event_id, endpoint_id, generation)
    LEFT JOIN LATERAL (
         (SELECT d.status FROM deliveries d WHERE d.tenant = $1 AND d.id = wanted.delivery_id)
         UNION ALL
         (SELECT d.status FROM deliveries d
           WHERE wanted.delivery_id IS NULL
             AND d.tenant = $1 AND d.event_id = wanted.event_id AND d.generation = wanted.generation
             AND d.endpoint_id || '' = wanted.endpoint_id)
         LIMIT 1) AS found ON true`;

/** The items whose deliveries have ended. One whose event was erased before it was sent has no delivery, and gets none. */
async function endedAmong(
  tx: Query,
  tenant: string,
  open: readonly OpenItem[],
): Promise<{ item: number; status: DeliveryStatus }[]> {
  if (open.length === 0) return [];
  const rows = await tx.query<{ item: number; status: DeliveryStatus | null }>(statusesOfItems, [
    tenant,
    open.map(({ item }) => item),
    open.map(({ delivery_id }) => delivery_id),
    open.map(({ event_id }) => event_id),
    open.map(({ endpoint_id }) => endpoint_id),
    open.map(({ generation }) => generation),
  ]);
  return rows.flatMap(({ item, status }) => (status !== null && isFinal(status) ? [{ item, status }] : []));
}

const settleItems = `
  UPDATE replay_items i SET outcome = e.status
    FROM unnest($3::int[], $4::text[]) AS e (item, status)
   WHERE i.tenant = $1 AND i.replay_id = $2 AND i.item = e.item AND i.outcome = 'waiting' AND i.item BETWEEN $5 AND $6`;

/** The columns of the counts are called as the statuses; so many more have ended in each. */
const counted = finalStatuses.map((status, index) => ({ status, more: `${status} + $${index + 4}::int` }));
const isOver = `(followed <= ${counted.map(({ more }) => more).join(' + ')})`;

const count = `
  UPDATE replays
     SET looked_to = $3::int, ${counted.map(({ status, more }) => `${status} = ${more}`).join(', ')},
         status = CASE WHEN status = 'sent' AND ${isOver} THEN ${statusAtTheEnd} ELSE status END,
         ended_at = CASE WHEN status = 'sent' AND ${isOver} THEN clock_timestamp() ELSE ended_at END,
         look_at = CASE WHEN ${isOver} THEN NULL
                        WHEN $3::int > 0 THEN clock_timestamp()
                        ELSE clock_timestamp()
                             + least(greatest((clock_timestamp() - coalesce(sent_at, clock_timestamp())) * ${partOfAge},
                                              ${soonestMs} * interval '1 millisecond'),
                                     ${latestMs} * interval '1 millisecond') END
   WHERE tenant = $1 AND id = $2`;
