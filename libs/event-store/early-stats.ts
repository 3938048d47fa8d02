/** Counts of deliveries whose event is not in the tables yet: the topics are read at their own pace, and the event tells source and type. */
import { columnNames, type Columns, listed, type RowOf, unnested } from './columns.ts';
import type { Statement } from './statement.ts';

const earlyColumns = {
  tenant: 'text',
  event_id: 'text',
  endpoint_id: 'text',
  outcome: 'text',
  at: 'timestamptz',
  delivered: 'int',
  failed: 'int',
  dead_lettered: 'int',
} as const satisfies Columns;

export type EarlyStatRow = RowOf<typeof earlyColumns>;

/** Keeps counts of deliveries until their event comes. */
export const insertEarlyStats: Statement<EarlyStatRow> = {
  name: 'insert-early-stats',
  columns: columnNames(earlyColumns),
  text: `
    INSERT INTO early_stats (${listed(earlyColumns)})
    SELECT * FROM ${unnested(earlyColumns, 't')}`,
};

/**
 * Takes back what was kept for these events: the end of a list of CTEs; the last of them is `early`, with a list for each event that has some.
 *
 * @param events a name of the statement's own, with tenant and id
 */
export const takeEarlyStats = (events: string): string => `
    taken_early AS (
      DELETE FROM early_stats s
       USING ${events} e
       WHERE s.tenant = e.tenant AND s.event_id = e.id
      RETURNING s.*
    ), early AS (
      SELECT tenant, event_id AS id,
             jsonb_agg(jsonb_build_object(${['endpoint_id', 'outcome', 'delivered', 'failed', 'dead_lettered']
               .map((column) => `'${column}', ${column}`)
               .join(', ')}, 'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) AS early
        FROM taken_early
       GROUP BY tenant, event_id
    )`;
