import { type DeliveryCount, deliveryCounts, isFinal, statusesOfCount } from '#lib/contract';
import { type EventRef, sqlStatus, sqlStatuses } from '#lib/event-store';

/** The changes of an event's counts. */
export type MovedCounts = EventRef & Record<DeliveryCount, number>;

/** The counts as columns over rows with a status, each of which counts as `weight` says. */
export const countColumns = (weight = '1'): string =>
  deliveryCounts
    .map(
      (count) =>
        `coalesce(sum(${weight}) FILTER (WHERE status IN ${sqlStatuses(statusesOfCount(count))}), 0)::int AS ${count}`,
    )
    .join(',\n             ');

/**
 * The deliveries of an event that count, as a table with their statuses: of each endpoint the newest. They are found by the event before they are
 * told apart by endpoint: in one go, the planner may take the index that is in the order of endpoints, and read all deliveries of the tenant.
 */
export const countedDeliveries = (event: string, condition = 'true'): string => `(
             SELECT status
               FROM (SELECT status, generation, max(generation) OVER (PARTITION BY endpoint_id) AS newest
                       FROM (SELECT status, generation, endpoint_id
                               FROM deliveries
                              WHERE tenant = ${event}.tenant AND event_id = ${event}.id AND ${condition}
                             OFFSET 0) AS found) AS ranked
              WHERE generation = newest
             OFFSET 0)`;

const openCounts = deliveryCounts.filter((count) => !statusesOfCount(count).every(isFinal));

/** The status of an event by the counts of its deliveries, in these columns. */
export const statusByCounts = (counts: string): string => `CASE
               WHEN ${openCounts.map((count) => `${counts}.${count}`).join(' + ')} > 0 THEN ${sqlStatus('processing')}
               WHEN ${counts}.dead_lettered > 0 THEN ${sqlStatus('dead_lettered')}
               ELSE ${sqlStatus('completed')}
             END`;

/**
 * CTEs of a statement that changes deliveries: the sums of `n` in `moves`, by event and status, are by how much the counts of their events move,
 * and `changed_events` has all of these events, with what the tables know of them. For each endpoint the deliveries of the newest generation count. So a delivery that has changed its status goes from one count to another if it is of that generation, and
 * one of a newer generation takes the place of the older ones.
 *
 * A statement does not see what it writes itself, so `deliveries` is as it was before. Each endpoint is looked up by itself, and costs the
 * same however many others the event has. Events that are not counted are left out: they are counted as a whole later.
 *
 * @param changed a name of the statement's own, with one row for each delivery that is new or has changed, as it is now: tenant, id,
 *   event_id, endpoint_id, generation, status
 */
export const moves = (changed: string): string => `changed_events AS MATERIALIZED (
      SELECT c.tenant, c.event_id, e.counted, e.source_id, e.type
        FROM (SELECT DISTINCT tenant, event_id FROM ${changed}) AS c
        LEFT JOIN LATERAL (
             SELECT counted, source_id, type FROM events e WHERE e.tenant = c.tenant AND e.id = c.event_id OFFSET 0) AS e ON true
    ), counted_events AS (
      SELECT tenant, event_id FROM changed_events WHERE counted
    ), changed_endpoints AS MATERIALIZED (
      SELECT tenant, event_id, endpoint_id, max(generation) AS generation
        FROM ${changed}
        JOIN counted_events USING (tenant, event_id)
       GROUP BY tenant, event_id, endpoint_id
    ), placed AS MATERIALIZED (
      SELECT c.*,
             (SELECT d.generation FROM deliveries d
               WHERE d.tenant = c.tenant AND d.event_id = c.event_id AND d.endpoint_id = c.endpoint_id
               ORDER BY d.generation DESC LIMIT 1) AS newest_before
        FROM changed_endpoints c
    ), moves AS (
      SELECT p.tenant, p.event_id, d.status, -1 AS n
        FROM placed p
       CROSS JOIN LATERAL (
             SELECT id, status FROM deliveries
              WHERE tenant = p.tenant AND event_id = p.event_id AND endpoint_id = p.endpoint_id AND generation = p.newest_before
             OFFSET 0) AS d
       WHERE p.generation > p.newest_before
          OR p.generation = p.newest_before AND (p.tenant, d.id) IN (SELECT tenant, id FROM ${changed})
      UNION ALL
      SELECT p.tenant, p.event_id, c.status, 1
        FROM placed p
        JOIN ${changed} c USING (tenant, event_id, endpoint_id, generation)
       WHERE p.generation >= coalesce(p.newest_before, p.generation)
    )`;

/** The end of a statement with the CTE `moves`. */
export const selectMoved = `
    SELECT tenant, event_id,
             ${countColumns('n')}
      FROM moves
     GROUP BY tenant, event_id`;
