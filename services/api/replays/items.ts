import type { ReplayItem } from '#lib/api-contract';
import type { ReplayItemStatus, ReplayOutcome } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';

/** A cursor: the number of an item. */
export const itemNumber = /^\d{1,9}$/;

/** In the order of the replay. One more than the page holds. */
export const listReplayItems = (
  postgres: Query,
  tenant: string,
  replayId: string,
  {
    after,
    limit,
    status,
    outcome,
  }: PageRequest & { status: ReplayItemStatus | undefined; outcome: ReplayOutcome | undefined },
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
