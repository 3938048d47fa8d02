import type { Query } from '#lib/postgres';
import { anEarlierOne, inLane, type ReplayLane } from './lease-replays.ts';

/** How many replays of a tenant have not ended. */
export async function unfinishedReplays(query: Query, tenant: string): Promise<Record<ReplayLane, number>> {
  const [row] = await query.query<Record<ReplayLane, number>>(
    `SELECT (SELECT count(*)::int FROM replays WHERE ${inLane.single} AND tenant = $1) AS single,
            (SELECT count(*)::int FROM replays WHERE ${inLane.bulk} AND tenant = $1) AS bulk`,
    [tenant],
  );
  return row ?? { single: 0, bulk: 0 };
}

/** The same of every tenant that has any. */
export const unfinishedByTenant = (query: Query): Promise<({ tenant: string } & Record<ReplayLane, number>)[]> =>
  query.query(
    `SELECT tenant, count(*) FILTER (WHERE ${inLane.single})::int AS single,
            count(*) FILTER (WHERE ${inLane.bulk})::int AS bulk
       FROM replays
      WHERE status = 'running'
      GROUP BY tenant`,
    [],
  );

/** How many replays of its tenant one in the bulk lane waits for. */
export async function replaysAhead(query: Query, tenant: string, id: string): Promise<number> {
  const [row] = await query.query<{ ahead: number }>(
    `SELECT (SELECT count(*)::int FROM (${anEarlierOne('replays')}) AS ahead) AS ahead
       FROM replays
      WHERE tenant = $1 AND id = $2 AND ${inLane.bulk}`,
    [tenant, id],
  );
  return row?.ahead ?? 0;
}
