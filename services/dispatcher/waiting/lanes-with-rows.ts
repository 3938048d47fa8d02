/**
 * The table `waiting` is read lane by lane, in each along an index, and only as far as needed: the cost depends on the number of lanes with
 * rows, not of rows. Each step has one index; but if the planner takes a lane for small, or the table for empty, it fetches and sorts the
 * whole lane, and tests every row. These settings prevent that, in a pool for such queries only.
 */
export const waitingSessionSettings = ['seqscan', 'bitmapscan', 'sort', 'hashjoin', 'mergejoin'].map(
  (way) => `enable_${way}=off`,
);

/** For the CTE `holder`, recursive: the tenants that have rows in the partition `owned.partition`. */
export const tenantsWithRows = `
  holder AS (
    (SELECT tenant
       FROM waiting
      WHERE partition = owned.partition
      ORDER BY tenant
      LIMIT 1)
    UNION ALL
    SELECT next.tenant
      FROM holder
     CROSS JOIN LATERAL (
       SELECT w.tenant
         FROM waiting w
        WHERE w.partition = owned.partition AND w.tenant > holder.tenant
        ORDER BY w.tenant
        LIMIT 1) AS next
  )`;

/** For the CTE `lane`, recursive: the lanes of the tenant `holder.tenant` that have rows there, from behind the endpoint `start.endpoint_id` on. */
export const lanesOfTenant = `
  lane AS (
    (SELECT endpoint_id
       FROM waiting
      WHERE partition = owned.partition AND tenant = holder.tenant AND endpoint_id > coalesce(start.endpoint_id, '')
      ORDER BY endpoint_id
      LIMIT 1)
    UNION ALL
    SELECT next.endpoint_id
      FROM lane
     CROSS JOIN LATERAL (
       SELECT w.endpoint_id
         FROM waiting w
        WHERE w.partition = owned.partition AND w.tenant = holder.tenant AND w.endpoint_id > lane.endpoint_id
        ORDER BY w.endpoint_id
        LIMIT 1) AS next
  )`;

/** For the CTE `lane`, recursive: the lanes that have rows in the partition `owned.partition`, found by stepping from one to the next. */
export const lanesWithRows = `
  lane AS (
    (SELECT tenant, endpoint_id
       FROM waiting
      WHERE partition = owned.partition
      ORDER BY tenant, endpoint_id
      LIMIT 1)
    UNION ALL
    SELECT next.tenant, next.endpoint_id
      FROM lane
     CROSS JOIN LATERAL (
       SELECT w.tenant, w.endpoint_id
         FROM waiting w
        WHERE w.partition = owned.partition AND (w.tenant, w.endpoint_id) > (lane.tenant, lane.endpoint_id)
        ORDER BY w.tenant, w.endpoint_id
        LIMIT 1) AS next
  )`;
