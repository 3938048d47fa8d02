import { replayDeadLetters, type ReplayPreview } from '#lib/api-contract';
import { maxReplayDeadLetters } from '#lib/contract';
import type { Query } from '#lib/postgres';
import {
  createDeadLetterReplay,
  type DeadLetterFilter,
  deadLetterConditions,
  deadLetterTables,
} from '#lib/replay-store';
import { readDeadLetterFilter } from '../dead-letters/index.ts';
import { bodyLimits } from '../http/body-limits.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { type Route, serve } from '../route.ts';
import { replayLimitReached, startReplay } from './start-replay.ts';

/**
 * Claims the dead letters that match and are dead, the oldest first, and answers; a dispatcher sends them. With `dry_run` it answers what would
 * go, and nothing changes.
 */
const start = serve(
  replayDeadLetters,
  (deps) => async (request, reply) => {
    const { tenant, body, idempotent } = request;
    const { effects } = idempotent;
    const { ids, all = false, limit = maxReplayDeadLetters, rate_per_second: ratePerSecond = null } = body;
    const read = readDeadLetterFilter(body, (name) => `/${name}`);
    if ('errors' in read) return sendInvalid(reply, read.errors);
    const filter: DeadLetterFilter = { ...read.filter, ids };
    if (!all && Object.values(filter).every((value) => value === undefined))
      return sendInvalid(reply, [{ field: '(body)', message: 'must have at least one filter, or `all`: true' }]);

    if (body.dry_run === true) return reply.code(202).send(await previewReplay(effects, tenant, filter, limit));
    const reached = await replayLimitReached(deps, effects, tenant, 'several');
    if (reached !== undefined) return refuseBeyondLimit(reply, reached, deps);
    return startReplay(deps, reply, {
      request: { ...body },
      ratePerSecond,
      create: (tx, begun) => createDeadLetterReplay(tx, { ...begun, filter, limit }),
    });
  },
  () => ({ bodyLimit: bodyLimits.ids }),
);

export const deadLetterReplayRoutes: readonly Route[] = [start];

/** Dead letters that are named. */
const sampleSize = 20;

/** The dead letters that a replay would send, in its order: the oldest first. */
async function previewReplay(
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
