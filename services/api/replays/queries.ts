import type { Replay, ReplayItem } from '#lib/api-contract';
import type { ReplayItemStatus, ReplayOutcome } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { replayColumns, type ReplayRow } from '#lib/replay-store';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from '../resources/ids.ts';

export const replayId = idPattern('rpl');

/**
 * The replay as clients see it. `matched` counts all items; those not `remaining` were sent, or failed. `outcome` counts the deliveries of
 * those that were sent.
 */
export function replayOf(row: ReplayRow): Replay {
  const { id, status, operation, matched, left_out, replayed, failed } = row;
  const { outcome, request, rate_per_second, created_at, sent_at, ended_at } = row;
  return {
    id,
    status,
    operation,
    matched,
    left_out,
    replayed,
    failed,
    remaining: matched - replayed - failed,
    outcome,
    request,
    rate_per_second,
    created_at,
    sent_at,
    ended_at,
  };
}

/** Nothing of it changes any more: a cancelled one may have sent something before, whose deliveries are open. */
export const replayHasEnded = ({ ended_at, outcome }: ReplayRow): boolean =>
  ended_at !== null && (outcome === null || outcome.waiting === 0);

/** It has its turn still to come, or has it. */
export const isSending = ({ status }: Pick<ReplayRow, 'status'>): boolean =>
  status === 'queued' || status === 'running';

export async function findReplay(postgres: Query, tenant: string, id: string): Promise<ReplayRow | undefined> {
  if (!replayId.test(id)) return undefined;
  const [row] = await postgres.query<ReplayRow>(`SELECT ${replayColumns} FROM replays WHERE tenant = $1 AND id = $2`, [
    tenant,
    id,
  ]);
  return row;
}

/** The newest first. One more than the page holds. */
export const listReplays = (postgres: Query, tenant: string, { after, limit }: PageRequest): Promise<ReplayRow[]> =>
  postgres.query<ReplayRow>(
    `SELECT ${replayColumns} FROM replays
      WHERE tenant = $1 AND ($2::text IS NULL OR id < $2)
      ORDER BY id DESC
      LIMIT $3`,
    [tenant, after, limit + 1],
  );

/** A cursor: the number of an item. */
export const itemNumber = /^\d{1,9}$/;

interface ItemPage extends PageRequest {
  status: ReplayItemStatus | undefined;
  outcome: ReplayOutcome | undefined;
}

/** In the order of the replay. One more than the page holds. */
export const listReplayItems = (
  postgres: Query,
  tenant: string,
  replayId: string,
  { after, limit, status, outcome }: ItemPage,
): Promise<ReplayItem[]> =>
  postgres.query<ReplayItem>(
    // Status and outcome stand in the text: with a parameter in their place, Postgres would not use a partial index.
    `SELECT item, status, reason, letter_id AS dead_letter_id, event_id, endpoint_id, delivery_id, generation, outcome
       FROM replay_items
      WHERE tenant = $1 AND replay_id = $2 AND item > $3::int ${status === undefined ? '' : `AND status = '${status}'`}
        ${outcome === undefined ? '' : `AND outcome = '${outcome}'`}
      ORDER BY item
      LIMIT $4`,
    [tenant, replayId, after ?? 0, limit + 1],
  );

/** Why items could not be sent, and how many for each reason. */
export async function failuresOf(postgres: Query, tenant: string, id: string): Promise<Record<string, number>> {
  const rows = await postgres.query<{ reason: string; items: number }>(
    `SELECT reason, count(*)::int AS items FROM replay_items
      WHERE tenant = $1 AND replay_id = $2 AND status = 'failed'
      GROUP BY reason
      ORDER BY 2 DESC, 1`,
    [tenant, id],
  );
  return Object.fromEntries(rows.map(({ reason, items }) => [reason, items]));
}
