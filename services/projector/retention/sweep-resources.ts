/**
 * Empties deleted sources, endpoints and keys once no event can be matched by them any more: `matchedWithinDays` after their end
 * (libs/contract). The processes that follow these tables see the change and forget them, too.
 */
import { matchedWithinDays } from '#lib/contract';
import { burying } from '#lib/erasure';
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import type { Paced } from './sweep-rows.ts';

type Resource = 'sources' | 'endpoints' | 'api_keys';

const rowsAtOnce = 200;
const dayMicros = 24 * 3600 * 1_000_000;

/** An event that waits to be published is matched as of its receipt, however long ago that is. */
const horizon = `least($1::timestamptz, (SELECT min(created_at) FROM outbox))`;
const matchedFrom = (now: number): string => formatMicros(now - matchedWithinDays * dayMicros);

/** Rows that were deleted long ago keep that they were: whoever asks is told that they are gone. @returns how many were emptied */
export async function buryDeleted(postgres: Query, table: Resource, now: number, paced: Paced): Promise<number> {
  let buried = 0;
  await paced(async () => {
    const rows = await postgres.query(
      `UPDATE ${table} t
          SET buried = true, ${burying(table)}
         FROM (SELECT tenant, id
                 FROM ${table}
                WHERE deleted_at < ${horizon} AND deleted_at IS NOT NULL AND NOT buried
                ORDER BY deleted_at
                LIMIT ${rowsAtOnce}
                FOR UPDATE SKIP LOCKED) AS old
        WHERE t.tenant = old.tenant AND t.id = old.id
       RETURNING t.id`,
      [matchedFrom(now)],
    );
    buried += rows.length;
    return { last: rows.length < rowsAtOnce };
  });
  return buried;
}

/** Entries of endpoints' histories that ended long ago. @returns of how many endpoints */
export async function forgetChanges(postgres: Query, now: number, paced: Paced): Promise<number> {
  let changed = 0;
  let after: readonly [tenant: string, id: string] = ['', ''];
  await paced(async () => {
    const [piece] = await postgres.query<{ seen: number; changed: number; tenant: string | null; id: string | null }>(
      `WITH slice AS MATERIALIZED (
         SELECT tenant, id
           FROM endpoints
          WHERE NOT buried AND history_revision > 0 AND (tenant, id) > ($2, $3)
          ORDER BY tenant, id
          LIMIT ${rowsAtOnce}
       ), changed AS (
         UPDATE endpoints t
            SET history = (SELECT coalesce(jsonb_agg(entry ORDER BY place), '[]')
                             FROM jsonb_array_elements(t.history) WITH ORDINALITY AS known (entry, place)
                            WHERE (entry->>'until')::timestamptz >= ${horizon}),
                history_revision = history_revision + 1
           FROM slice r
          WHERE t.tenant = r.tenant AND t.id = r.id AND (t.history->0->>'until')::timestamptz < ${horizon}
         RETURNING true
       )
       SELECT (SELECT count(*)::int FROM slice) AS seen, (SELECT count(*)::int FROM changed) AS changed, last.tenant, last.id
         FROM (SELECT) AS one
         LEFT JOIN (SELECT tenant, id FROM slice ORDER BY tenant DESC, id DESC LIMIT 1) AS last ON true`,
      [matchedFrom(now), ...after],
    );
    changed += piece?.changed ?? 0;
    after = [piece?.tenant ?? '', piece?.id ?? ''];
    return { last: (piece?.seen ?? 0) < rowsAtOnce };
  });
  return changed;
}
