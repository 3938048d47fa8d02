import type { ReplayPreview } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import { type DeadLetterFilter, deadLetterConditions, deadLetterTables } from '#lib/replay-store';

/** Dead letters that are named. */
const sampleSize = 20;

/** The dead letters that a replay would send, in its order: the oldest first. */
export async function previewReplay(
  postgres: Query,
  tenant: string,
  filter: DeadLetterFilter,
  limit: number,
): Promise<ReplayPreview> {
  const values: unknown[] = [];
  const conditions = deadLetterConditions(tenant, { ...filter, status: 'dead' }, values);
  const bounded = `$${values.push(limit)}::int`;
  const [row] = await postgres.query<{
    all_matched: number;
    ids: string[] | null;
    by_endpoint: ReplayPreview['by_endpoint'] | null;
    by_reason: ReplayPreview['by_reason'] | null;
  }>(
    `WITH matching AS MATERIALIZED (
       SELECT l.id, l.stage, l.reason, l.endpoint_id, row_number() OVER (ORDER BY l.at, l.id) AS place
         FROM ${deadLetterTables}
        WHERE ${conditions}
     ), going AS (
       SELECT * FROM matching WHERE place <= ${bounded}
     )
     SELECT (SELECT count(*)::int FROM matching) AS all_matched,
            (SELECT json_agg(id ORDER BY place) FROM going WHERE place <= ${sampleSize}) AS ids,
            (SELECT json_agg(g) FROM (SELECT endpoint_id, count(*)::int AS letters FROM going
                                       GROUP BY endpoint_id ORDER BY 2 DESC, 1 LIMIT 100) g) AS by_endpoint,
            (SELECT json_agg(g) FROM (SELECT stage, reason, count(*)::int AS letters FROM going
                                       GROUP BY stage, reason ORDER BY 3 DESC, 1, 2 LIMIT 100) g) AS by_reason`,
    values,
  );
  const all = row?.all_matched ?? 0;
  return {
    dry_run: true,
    matched: Math.min(all, limit),
    left_out: Math.max(0, all - limit),
    ids: row?.ids ?? [],
    by_endpoint: row?.by_endpoint ?? [],
    by_reason: row?.by_reason ?? [],
  };
}
