/**
 * Follows the deliveries of replays to their ends. What was sent says nothing about whether it arrived: an item keeps its delivery's outcome,
 * its replay the counts, and a replay that was sent ends when none is open. Any process may look: the replay's row is locked meanwhile, and
 * one that another looks at is passed over.
 *
 * The older a replay, the more seldom it is looked at: a delivery that is retried for days ends between two looks that are half a minute
 * apart. A look takes the next few thousand open items; an ended one is never looked at again.
 */
import { finalStatuses } from '#lib/contract';
import { hasEnded, sqlStatus } from '#lib/event-store';
import type { Postgres, Query } from '#lib/postgres';
import { statusAtTheEnd } from './replay-row.ts';
import type { ReplayOutcome } from './states.ts';

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
  for (let looked = 0; looked < most; looked += 1) if (!(await postgres.transaction(followNext))) return looked;
  return most;
}

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
  const rows = await tx.query<{ item: number; outcome: ReplayOutcome }>(settleItems, [tenant, id, after, itemsAtOnce]);
  const ended = finalStatuses.map((status) => rows.filter(({ outcome }) => outcome === status).length);
  const lookedTo = rows.length < itemsAtOnce ? 0 : Math.max(...rows.map(({ item }) => item));
  await tx.query(count, [tenant, id, lookedTo, ...ended]);
  return true;
}

/** The delivery of an item `i`: the one that it has made due, or has asked to be cancelled, or that was sent anew in its generation. */
const statusOfDelivery = `
  CASE WHEN i.delivery_id IS NOT NULL
       THEN (SELECT d.status FROM deliveries d WHERE d.tenant = i.tenant AND d.id = i.delivery_id)
       ELSE (SELECT d.status FROM deliveries d
              WHERE d.tenant = i.tenant AND d.event_id = i.event_id AND d.endpoint_id = i.endpoint_id
                AND d.generation = i.generation)
  END`;

/** One that was erased before it was sent has no delivery, and gets none. */
const isErased = `
  NOT EXISTS (SELECT FROM events e
               WHERE e.tenant = i.tenant AND e.id = i.event_id AND e.status <> 'erased')`;

const settleItems = `
  WITH open AS MATERIALIZED (
    SELECT item FROM replay_items
     WHERE tenant = $1 AND replay_id = $2 AND item > $3::int AND outcome = 'waiting'
     ORDER BY item
     LIMIT $4
  ), found AS (
    SELECT i.item, coalesce(${statusOfDelivery}, CASE WHEN i.event_id IS NOT NULL AND ${isErased} THEN ${sqlStatus('cancelled')} END) AS status
      FROM open JOIN replay_items i ON i.tenant = $1 AND i.replay_id = $2 AND i.item = open.item
  ), settled AS (
    UPDATE replay_items i SET outcome = f.status
      FROM found f
     WHERE i.tenant = $1 AND i.replay_id = $2 AND i.item = f.item AND ${hasEnded('f.status')}
    RETURNING i.item
  )
  SELECT item, CASE WHEN ${hasEnded('status')} THEN status ELSE 'waiting' END AS outcome FROM found`;

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
