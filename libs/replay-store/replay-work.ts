/**
 * Works off replays in any number of processes. Each replay is leased by one of them; if it dies, its lease expires and another continues.
 * The order is:
 *
 *   take (items become `sending`, committed) ──► publish ──► settle (replayed or failed, with the counts) ──► take …
 *
 * Items are taken before they are published, so they can't be cancelled meanwhile, and a successor sends them again under the same
 * generation. Both steps check the lease under the replay's row lock: a process that was paused past its lease changes nothing any more.
 * Anything that it still publishes has the same ids.
 *
 * Items that make deliveries due, or cancel them, are done and settled where they are taken, in one transaction: nothing is published.
 */
import type { DeadLetterStage, ReplayOperation, ReplayStatus } from '#lib/contract';
import type { Postgres, Query } from '#lib/postgres';
import { AppError, microsOf } from '#lib/runtime';
import { actOnDeliveries } from './act-on-deliveries.ts';
import { setDeadLetters } from './cancel-replay.ts';
import { follow } from './follow-replays.ts';
import { leaseEnd, leaseReplays, type ReplayLane } from './lease-replays.ts';
import { nextItems } from './next-items.ts';
import { endIfDone, isItem, openItemStatuses } from './replay-row.ts';

export interface LeasedReplay {
  tenant: string;
  id: string;
  /** Microseconds since the epoch. */
  createdAt: number;
  ratePerSecond: number | null;
  /** Null: its items came with it. */
  operation: ReplayOperation | null;
  /** The test of an endpoint: somebody waits for its first attempt. */
  isTest: boolean;
  owner: string;
}

export type ReplayItem = { item: number; generation: number } & (
  | { kind: 'delivery'; eventId: string; endpointId: string }
  | { kind: 'record'; stage: DeadLetterStage; origin: string; key: Buffer | null; headers: Buffer; value: Buffer }
  /** Its dead letter was removed meanwhile. */
  | { kind: 'missing' }
);

/** A reason: it failed. */
export interface ItemEnd {
  item: number;
  reason: string | null;
}

type Taken = { items: ReplayItem[]; isUnchosen?: true } | { ended: ReplayStatus } | 'lost';

/** Every method @throws AppError store_unavailable */
export interface ReplayWork {
  /** Up to so many replays of the lane that are unleased, or whose holder has died. */
  lease(owner: string, lane: ReplayLane, max: number): Promise<LeasedReplay[]>;
  /** False if the lease is lost, or the replay has ended. */
  renew(replay: LeasedReplay): Promise<boolean>;
  /** @param againInMs nobody leases it before */
  release(replay: LeasedReplay, againInMs?: number): Promise<void>;
  /**
   * The next items that are to be published, starting with those that a predecessor had taken. None, and `isUnchosen`: the next are still to
   * be chosen.
   */
  take(replay: LeasedReplay, max: number): Promise<Taken>;
  /** False if the lease is lost: then nothing is changed. */
  settle(replay: LeasedReplay, ends: readonly ItemEnd[]): Promise<boolean>;
}

const turnIn = (ms: string): string => `clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;
const held = `tenant = $1 AND id = $2 AND lease_owner = $3 AND status = 'running'`;

interface RawItem {
  item: number;
  delivery_id: string | null;
  generation: number;
  event_id: string | null;
  endpoint_id: string | null;
  stage: DeadLetterStage | null;
  origin: string | null;
  key: Buffer | null;
  headers: Buffer | null;
  value: Buffer | null;
}

export function createReplayWork(postgres: Postgres): ReplayWork {
  const extend = async (query: Query, { tenant, id, owner }: LeasedReplay): Promise<boolean> => {
    const rows = await query.query(`UPDATE replays SET lease_until = ${leaseEnd} WHERE ${held} RETURNING id`, [
      tenant,
      id,
      owner,
    ]);
    return rows.length > 0;
  };

  return {
    async lease(owner, lane, max) {
      const rows = await leaseReplays(postgres, owner, lane, max);
      return rows.map((row) => ({
        tenant: row.tenant,
        id: row.id,
        createdAt: microsOf(row.created_at),
        ratePerSecond: row.rate_per_second,
        operation: row.operation,
        isTest: row.is_test,
        owner,
      }));
    },
    renew: (replay) => extend(postgres, replay),
    async release({ tenant, id, owner }, againInMs = 0) {
      await postgres.query(
        `UPDATE replays
            SET lease_owner = NULL, lease_until = NULL,
                turn_at = CASE WHEN operation IS NULL THEN ${turnIn('$4')} ELSE turn_at END,
                next_turn_at = CASE WHEN operation IS NOT NULL THEN ${turnIn('$4')} END
          WHERE ${held}`,
        [tenant, id, owner, againInMs],
      );
    },
    take: (replay, max) =>
      postgres.transaction(async (tx) => {
        const { tenant, id } = replay;
        if (!(await extend(tx, replay))) return 'lost';
        const range = await nextItems(tx, replay, { status: openItemStatuses, after: 0, max });
        if (range === undefined) {
          const ended = await endIfDone(tx, tenant, id);
          if (ended !== undefined) return { ended };
          if (replay.operation !== null) return { items: [], isUnchosen: true };
          throw new AppError('bug', `replay ${id} has items that nobody can take`);
        }
        const rows = await tx.query<RawItem>(
          `WITH taken AS (
             UPDATE replay_items SET status = 'sending'
              WHERE tenant = $1 AND replay_id = $2 AND item BETWEEN $3 AND $4 AND ${isItem('status', openItemStatuses)}
             RETURNING *
           )
           SELECT t.item, t.delivery_id, t.generation, t.event_id, t.endpoint_id, l.stage, l.origin, l.key, l.headers, l.value
             FROM taken t
             LEFT JOIN dead_letters l ON l.tenant = t.tenant AND l.id = t.letter_id AND t.event_id IS NULL
            ORDER BY t.item`,
          [tenant, id, range.first, range.last],
        );
        await act(tx, replay, rows);
        return { items: rows.filter(({ delivery_id }) => delivery_id === null).map(itemOf) };
      }),
    settle: (replay, ends) =>
      postgres.transaction(async (tx) => {
        const { tenant, id } = replay;
        if (!(await extend(tx, replay))) return false;
        const items = ends.map(({ item }) => item);
        const settled = await tx.query<{
          status: 'replayed' | 'failed';
          letter_id: string | null;
          event_id: string | null;
          endpoint_id: string | null;
        }>(
          `UPDATE replay_items i
              SET status = CASE WHEN e.reason IS NULL THEN 'replayed' ELSE 'failed' END, reason = e.reason,
                  outcome = CASE WHEN e.reason IS NULL AND i.event_id IS NOT NULL THEN 'waiting' END
             FROM unnest($3::int[], $4::text[]) AS e (item, reason)
            WHERE i.tenant = $1 AND i.replay_id = $2 AND i.item = e.item AND i.status = 'sending'
              AND i.item BETWEEN $5 AND $6
            RETURNING i.status, i.letter_id, i.event_id, i.endpoint_id`,
          [tenant, id, items, ends.map(({ reason }) => reason), Math.min(...items), Math.max(...items)],
        );
        const { replayed = [], failed = [] } = Object.groupBy(settled, ({ status }) => status);
        await setDeadLetters(tx, tenant, id, 'replayed', replayed);
        await setDeadLetters(tx, tenant, id, 'dead', failed);
        const followed = replayed.filter(({ event_id }) => event_id !== null).length;
        await tx.query(
          `UPDATE replays SET replayed = replayed + $3, failed = failed + $4, ${follow('$5')} WHERE tenant = $1 AND id = $2`,
          [tenant, id, replayed.length, failed.length, followed],
        );
        return true;
      }),
  };
}

/** Asks what is to be asked of deliveries, and settles these items. */
async function act(tx: Query, { tenant, id, operation }: LeasedReplay, taken: readonly RawItem[]): Promise<void> {
  const items = taken.flatMap(({ item, delivery_id }) => (delivery_id === null ? [] : { item, delivery_id }));
  if (operation === null || items.length === 0) return;
  const ids = items.map(({ delivery_id }) => delivery_id);
  const asked = await actOnDeliveries(tx, operation, tenant, ids);
  const done = items.filter(({ delivery_id }) => asked.has(delivery_id));
  await tx.query(
    `UPDATE replay_items i
        SET status = CASE WHEN i.item = ANY ($4::int[]) THEN 'replayed' ELSE 'left_out' END,
            outcome = CASE WHEN i.item = ANY ($4::int[]) THEN 'waiting' END
      WHERE i.tenant = $1 AND i.replay_id = $2 AND i.item = ANY ($3::int[])`,
    [tenant, id, items.map(({ item }) => item), done.map(({ item }) => item)],
  );
  await tx.query(
    `UPDATE replays SET replayed = replayed + $3, left_out = left_out + $4, matched = matched - $4, ${follow('$3')}
      WHERE tenant = $1 AND id = $2`,
    [tenant, id, done.length, items.length - done.length],
  );
}

function itemOf(row: RawItem): ReplayItem {
  const { item, generation, event_id: eventId, endpoint_id: endpointId } = row;
  const { stage, origin, key, headers, value } = row;
  if (eventId !== null && endpointId !== null) return { item, generation, kind: 'delivery', eventId, endpointId };
  if (stage === null || origin === null || headers === null || value === null)
    return { item, generation, kind: 'missing' };
  return { item, generation, kind: 'record', stage, origin, key, headers, value };
}
