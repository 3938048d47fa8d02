/** Reads the statistics: see libs/event-store/add-stats.ts for what is counted. */
import { maxCounts, type Stats } from '#lib/api-contract';
import { type StatDimension, statSeries, type StatSeries, type StatStep, statSteps } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';

/** The series that have a dimension. */
const seriesOf: Readonly<Record<StatDimension, readonly StatSeries[]>> = {
  source: statSeries,
  type: statSeries.filter((series) => series !== 'rejected'),
  endpoint: ['delivered', 'failed', 'dead_lettered'],
  outcome: statSeries,
};

/** Without a dimension, sums over outcomes are answered: each thing that is counted has one. */
export const seriesBy = (by: StatDimension | undefined): readonly StatSeries[] => seriesOf[by ?? 'outcome'];

export interface StatQuestion {
  series: readonly StatSeries[];
  by: StatDimension | undefined;
  step: StatStep;
  /** Micros, from the beginning of a step; `until` is not included. */
  since: number;
  until: number;
}

interface CountedSeries extends Omit<Stats['series'][number], 'counts'> {
  counts: { at: string; count: number }[];
}

/** Rows that are added up for one answer. */
export const maxRows = 500_000;

export type StatAnswer = { found: CountedSeries[] } | { beyond: 'max_counts' | 'max_rows' };

type Raw = { key: string | null; at: string; rows: number } & Record<StatSeries, string>;

/**
 * Counts older than a step are kept in coarser ones, which a finer step does not see. Keys are found by stepping from one to the next, and each is
 * read along the table's key: the cost depends on what is in the answer, not on what is kept.
 */
const readStats = `
  WITH asked AS MATERIALIZED (
    SELECT dimension, step FROM unnest($2::text[]) AS d (dimension) CROSS JOIN unnest($3::text[]) AS s (step)
  ), read AS MATERIALIZED (
    SELECT counted.*
      FROM asked a
     CROSS JOIN LATERAL (
       WITH RECURSIVE named AS (
         (SELECT key FROM stats
           WHERE tenant = $1 AND dimension = a.dimension AND step = a.step
           ORDER BY key LIMIT 1)
         UNION ALL
         SELECT next.key
           FROM named
          CROSS JOIN LATERAL (
            SELECT key FROM stats
             WHERE tenant = $1 AND dimension = a.dimension AND step = a.step AND key > named.key
             ORDER BY key LIMIT 1) AS next
       )
       SELECT key FROM named) AS k
     CROSS JOIN LATERAL (
       SELECT key, at, ${statSeries.join(', ')}
         FROM stats
        WHERE tenant = $1 AND dimension = a.dimension AND step = a.step AND key = k.key AND at >= $4 AND at < $5
        ORDER BY at
       OFFSET 0) AS counted
     LIMIT ${maxRows + 1}
  )
  SELECT CASE WHEN $7 THEN key END AS key, date_trunc($6, at) AS at,
         (SELECT count(*)::int FROM read) AS rows, ${statSeries.map((series) => `sum(${series}) AS ${series}`).join(', ')}
    FROM read
   GROUP BY 1, 2
   ORDER BY 1, 2
   LIMIT ${maxCounts + 1}`;

export async function findStats(postgres: Query, tenant: string, question: StatQuestion): Promise<StatAnswer> {
  const { series, by, step, since, until } = question;
  const dimension = by ?? 'outcome';
  const own = series.some((each) => each !== 'rejected') ? [dimension] : [];
  const rejected = series.includes('rejected') ? [`${dimension}/rejected`] : [];
  const rows = await postgres.query<Raw>(readStats, [
    tenant,
    [...own, ...rejected],
    // Coarser rows would tell of more than the step.
    stepsUpTo(step),
    formatMicros(since),
    formatMicros(until),
    statSteps[step].step,
    by !== undefined,
  ]);
  if ((rows[0]?.rows ?? 0) > maxRows) return { beyond: 'max_rows' };
  const found = new Map<string, CountedSeries>();
  let counts = 0;
  for (const name of series)
    for (const { key, at, ...row } of rows) {
      const count = Number(row[name]);
      if (count === 0) continue;
      counts += 1;
      const line = `${name}/${key}`;
      const one = found.get(line) ?? { series: name, key, counts: [] };
      found.set(line, one);
      one.counts.push({ at, count });
    }
  return counts > maxCounts || rows.length > maxCounts ? { beyond: 'max_counts' } : { found: [...found.values()] };
}

function stepsUpTo(step: StatStep): string[] {
  const names = Object.keys(statSteps) as StatStep[];
  return names.slice(0, names.indexOf(step) + 1).map((name) => statSteps[name].step);
}

/** Since when everything is counted; null: not yet. */
export async function countedSince(postgres: Query): Promise<string | null> {
  const [row] = await postgres.query<{ at: string }>('SELECT at FROM stats_since');
  return row?.at ?? null;
}
