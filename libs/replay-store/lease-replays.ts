/**
 * Leases replays to a process: unleased ones, and those whose holder has died. There are two lanes, so that a replay with a waiting user
 * does not queue after one that takes days:
 *
 * | lane   | has                                                     | order                                                              |
 * |--------|---------------------------------------------------------|--------------------------------------------------------------------|
 * | single | replays of one item: tests of endpoints, retries        | the oldest of each tenant first, then the second of each, …        |
 * | bulk   | all others                                              | one per tenant, its oldest; the tenant that waited longest first |
 *
 * One by filter is in the bulk lane, however few match.
 *
 * After its turn, or while it waits for its rate, a bulk replay is released with the time of its next turn. Until then nobody leases it,
 * and the tenant's other bulk replays wait.
 */
import type { ReplayOperation } from '#lib/contract';
import type { Query } from '#lib/postgres';

export type ReplayLane = 'single' | 'bulk';

const leaseMs = 10_000;
export const leaseEnd = `clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;

/** The same conditions as the indexes. */
export const inLane: Readonly<Record<ReplayLane, string>> = {
  single: `status = 'running' AND matched <= 1 AND operation IS NULL`,
  bulk: `status = 'running' AND (matched > 1 OR operation IS NOT NULL)`,
};

/** A bulk replay of the same tenant that must end before one `of` the table with this name; the inner table is `earlier`. */
export const anEarlierOne = (of: string): string =>
  `SELECT FROM replays earlier
    WHERE tenant = ${of}.tenant AND (created_at, id) < (${of}.created_at, ${of}.id) AND ${inLane.bulk}`;

export interface LeasedRow {
  tenant: string;
  id: string;
  created_at: string;
  rate_per_second: number | null;
  operation: ReplayOperation | null;
  is_test: boolean;
}

export const leaseReplays = (query: Query, owner: string, lane: ReplayLane, max: number): Promise<LeasedRow[]> =>
  query.query<LeasedRow>(
    `WITH RECURSIVE ${lane === 'single' ? singles : heads}
     UPDATE replays r
        SET lease_owner = $1, lease_until = ${leaseEnd}
       FROM (SELECT r.tenant, r.id
               FROM replays r JOIN next n ON n.tenant = r.tenant AND n.id = r.id
              WHERE ${inLane[lane]}
                AND (r.lease_until IS NULL OR r.lease_until < clock_timestamp())
                AND coalesce(r.next_turn_at, r.turn_at, '-infinity') <= clock_timestamp()
              ORDER BY n.place, CASE WHEN r.operation IS NULL THEN coalesce(r.turn_at, r.created_at)
                                     ELSE greatest(r.next_turn_at, r.created_at) END
              LIMIT $2
                FOR UPDATE OF r SKIP LOCKED) AS free
      WHERE r.tenant = free.tenant AND r.id = free.id
      RETURNING r.tenant, r.id, r.created_at, r.rate_per_second, r.operation, r.request ? 'test' AS is_test`,
    [owner, max],
    `lease-${lane}-replays`,
  );

const singles = `
  next AS (
    SELECT tenant, id, row_number() OVER (PARTITION BY tenant ORDER BY created_at, id) AS place
      FROM replays
     WHERE ${inLane.single} AND (lease_until IS NULL OR lease_until < clock_timestamp())
  )`;

/** From tenant to tenant along the index, however many replays each has. */
const heads = `
  tenants AS (
    (SELECT tenant FROM replays WHERE ${inLane.bulk} ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant FROM replays WHERE ${inLane.bulk} AND tenant > t.tenant ORDER BY tenant LIMIT 1)
      FROM tenants t
     WHERE t.tenant IS NOT NULL
  ), next AS (
    SELECT head.tenant, head.id, 1 AS place
      FROM tenants t
     CROSS JOIN LATERAL (SELECT tenant, id FROM replays
                          WHERE ${inLane.bulk} AND tenant = t.tenant
                          ORDER BY created_at, id
                          LIMIT 1) AS head
  )`;
