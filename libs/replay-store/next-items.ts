import type { Query } from '#lib/postgres';
import { isItem, type OpenItemStatus } from './replay-row.ts';

interface Wanted {
  status: readonly OpenItemStatus[];
  /** Only items after this one. */
  after: number;
  max: number;
}

/**
 * The first items in these states, as a range of numbers: a range uses the index, whatever the planner assumes about a new replay, but a
 * list of items may scan the whole replay each time. Undefined if there is none.
 */
export async function nextItems(
  tx: Query,
  { tenant, id }: { tenant: string; id: string },
  { status, after, max }: Wanted,
): Promise<{ first: number; last: number } | undefined> {
  const [range] = await tx.query<{ first: number | null; last: number | null }>(
    `SELECT min(item) AS first, max(item) AS last
       FROM (SELECT item FROM replay_items
              WHERE tenant = $1 AND replay_id = $2 AND item > $3 AND ${isItem('status', status)}
              ORDER BY item
              LIMIT $4) AS next`,
    [tenant, id, after, max],
  );
  if (range === undefined || range.first === null || range.last === null) return undefined;
  return { first: range.first, last: range.last };
}
