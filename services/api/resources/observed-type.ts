/** The types that a tenant's events have had, as the statistics know them: libs/event-store/add-stats.ts. */
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';

interface ObservedRow {
  type: string;
  first_day: string;
  last_day: string;
  received_24h: number;
}

/**
 * Types of the days that are kept, without those that are a name of an event type, be it a former one, and without Hookline's own. By type; one
 * more than the page holds.
 */
export function listObservedTypes(
  postgres: Query,
  tenant: string,
  { after, limit }: PageRequest,
): Promise<ObservedRow[]> {
  return postgres.query<ObservedRow>(
    `SELECT seen.*, lately.received_24h
       FROM (SELECT type, min(day)::text AS first_day, max(day)::text AS last_day
               FROM stat_types s
              WHERE tenant = $1 AND ($2::text IS NULL OR type > $2) AND NOT starts_with(type, 'hookline.')
                AND NOT EXISTS (SELECT FROM event_type_names n WHERE n.tenant = s.tenant AND n.name = s.type)
              GROUP BY type
              ORDER BY type
              LIMIT $3) AS seen
      CROSS JOIN LATERAL (
            SELECT coalesce(sum(received), 0)::float8 AS received_24h
              FROM stats
             WHERE tenant = $1 AND dimension = 'type' AND step = 'minute' AND key = seen.type
               AND at > now() - interval '24 hours') AS lately
      ORDER BY type`,
    [tenant, after, limit + 1],
  );
}
