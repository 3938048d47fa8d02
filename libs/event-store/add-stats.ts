/**
 * Statistics: what happened in a minute, counted in the transaction that writes the rows, so that both are there or neither, and what comes
 * again changes neither. Each thing is counted once in each dimension that it has:
 *
 * | series        | counts                                                        | at               | source, type | endpoint | outcome                        |
 * |---------------|---------------------------------------------------------------|------------------|--------------|----------|--------------------------------|
 * | received      | events                                                        | their receipt    | yes          |          | `accepted`                     |
 * | duplicates    | receipts that belong to an event, besides its own             | their receipt    | yes          |          | `same`, `changed`              |
 * | rejected      | webhooks that the ingress refused (services/ingress/rejections) | the refusal    | source alone |          | error code                     |
 * | delivered     | deliveries that ended so                                      | their end        | yes          | yes      | `delivered`                    |
 * | failed        | attempts without success                                      | the attempt      | yes          | yes      | the attempt's                  |
 * | dead_lettered | deliveries that ended so                                      | their end        | yes          | yes      | of the last attempt, or `unsent` |
 *
 * Writers that add to them hold the tenant's clock: rows of a tenant are written by one transaction at a time, and no two wait for each other. The
 * ingress has no clock, and rows of its own.
 */
import { maxTypesPerDay, otherTypes } from '#lib/contract';
import { columnNames, type RowOf, unnested } from './columns.ts';
import type { Statement } from './statement.ts';

/** The series that are counted under a clock: all but the one that the ingress counts. */
export const countedSeries = ['received', 'duplicates', 'delivered', 'failed', 'dead_lettered'] as const;
export type CountedSeries = (typeof countedSeries)[number];

const counts = Object.fromEntries(countedSeries.map((series) => [series, 'int'])) as Record<CountedSeries, 'int'>;
const columns = { tenant: 'text', dimension: 'text', key: 'text', at: 'timestamptz', ...counts } as const;

export type StatRow = RowOf<typeof columns>;

const summed = countedSeries.map((series) => `sum(${series})`).join(', ');
const added = (each: readonly string[]): string =>
  each.map((series) => `${series} = known.${series} + EXCLUDED.${series}`).join(', ');

/**
 * The end of a list of CTEs that adds counts; the last of them is `counted`.
 *
 * @param given a SELECT of tenant, dimension, key, at (the minute) and the counted series
 */
export const addStatsFrom = (given: string): string => `
    given_stats AS MATERIALIZED (${given}
    ), given_types AS MATERIALIZED (
      SELECT DISTINCT tenant, (at AT TIME ZONE 'UTC')::date AS day, key AS type
        FROM given_stats
       WHERE dimension = 'type'
    ), new_types AS MATERIALIZED (
      SELECT tenant, day, type, row_number() OVER (PARTITION BY tenant, day ORDER BY type) AS place
        FROM given_types g
       WHERE (SELECT true FROM stat_types s WHERE s.tenant = g.tenant AND s.day = g.day AND s.type = g.type) IS NULL
    ), known_types AS MATERIALIZED (
      SELECT d.tenant, d.day, k.types
        FROM (SELECT DISTINCT tenant, day FROM new_types) AS d
       CROSS JOIN LATERAL (
             SELECT count(*) AS types FROM stat_types s WHERE s.tenant = d.tenant AND s.day = d.day OFFSET 0) AS k
    ), others AS MATERIALIZED (
      SELECT tenant, day, type FROM new_types JOIN known_types USING (tenant, day) WHERE place + types > ${maxTypesPerDay}
    ), named_types AS (
      INSERT INTO stat_types (tenant, day, type)
      SELECT tenant, day, type
        FROM new_types
        JOIN known_types USING (tenant, day)
       WHERE place + types <= ${maxTypesPerDay}
       ORDER BY tenant, day, type
      ON CONFLICT DO NOTHING
    ), counted AS (
      INSERT INTO stats AS known (tenant, dimension, step, key, at, ${countedSeries.join(', ')})
      SELECT tenant, dimension, 'minute',
             CASE WHEN dimension = 'type' AND (tenant, (at AT TIME ZONE 'UTC')::date, key) IN (SELECT * FROM others)
                  THEN '${otherTypes}' ELSE key END AS counted_as,
             at, ${summed}
        FROM given_stats
       GROUP BY tenant, dimension, counted_as, at
       ORDER BY tenant, dimension, counted_as, at
      ON CONFLICT (tenant, dimension, step, key, at) DO UPDATE SET ${added(countedSeries)}
    )`;

/** Adds to the counts of minutes. */
export const addStats: Statement<StatRow> = {
  name: 'add-stats',
  columns: columnNames(columns),
  text: `
    WITH ${addStatsFrom(`
      SELECT * FROM ${unnested(columns, 't')}`)}
    SELECT`,
};

/** A SELECT for `addStatsFrom`, of events that have been inserted. @param events a name of the statement's own */
export const receivedStats = (events: string): string => `
      SELECT tenant, dimension, key, at,
             count(*) AS received, ${countedSeries
               .slice(1)
               .map((series) => `0 AS ${series}`)
               .join(', ')}
        FROM (SELECT e.tenant, counted.*, date_trunc('minute', e.received_at) AS at
                FROM ${events} e
               CROSS JOIN LATERAL (
                     VALUES ('source', e.source_id), ('type', e.type), ('outcome', 'accepted')) AS counted (dimension, key)) AS each
       GROUP BY tenant, dimension, key, at`;

const rejectionColumns = {
  tenant: 'text',
  source_id: 'text',
  outcome: 'text',
  at: 'timestamptz',
  rejected: 'int',
} as const;

export type RejectedStatRow = RowOf<typeof rejectionColumns>;

/** Adds to the counts of refused webhooks, in rows that no one who has a clock writes. */
export const addRejectedStats: Statement<RejectedStatRow> = {
  name: 'add-rejected-stats',
  columns: columnNames(rejectionColumns),
  text: `
    INSERT INTO stats AS known (tenant, dimension, step, key, at, rejected)
    SELECT tenant, dimension, 'minute', key, at, sum(rejected)
      FROM ${unnested(rejectionColumns, 't')}
     CROSS JOIN LATERAL (VALUES ('source/rejected', source_id), ('outcome/rejected', outcome)) AS counted (dimension, key)
     GROUP BY tenant, dimension, key, at
     ORDER BY tenant, dimension, key, at
    ON CONFLICT (tenant, dimension, step, key, at) DO UPDATE SET rejected = known.rejected + EXCLUDED.rejected`,
};
