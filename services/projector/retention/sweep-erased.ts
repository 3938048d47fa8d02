/**
 * Erasures are kept in memory for some hours, in the table for as long as Kafka may have a record that could bring something back,
 * and as long as the event itself is kept as its id.
 */
import { forgetTenant, recentMs } from '#lib/erasure';
import type { Postgres } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import type { Paced } from './sweep-rows.ts';

const rowsAtOnce = 500;

/** Rows that nobody needs in memory any more; those of tenants stay there. @returns how many */
export async function buryErased(postgres: Postgres, now: number, paced: Paced): Promise<number> {
  let buried = 0;
  await paced(async () => {
    const rows = await postgres.query(
      `UPDATE erased x SET buried = true
         FROM (SELECT tenant, id FROM erased
                WHERE changed_at < $1::timestamptz AND NOT buried AND id <> ''
                ORDER BY changed_at
                LIMIT ${rowsAtOnce}
                FOR UPDATE SKIP LOCKED) AS old
        WHERE x.tenant = old.tenant AND x.id = old.id
       RETURNING x.id`,
      [formatMicros(now - recentMs * 1_000)],
    );
    buried += rows.length;
    return { last: rows.length < rowsAtOnce };
  });
  return buried;
}

/** @returns how many rows of erased events were removed */
export async function forgetErased(postgres: Postgres, now: number, paced: Paced): Promise<number> {
  let removed = 0;
  await paced(async () => {
    const rows = await postgres.query(
      `DELETE FROM erased x
        USING (SELECT x.tenant, x.id
                 FROM erasures e
                 JOIN erased x ON x.tenant = e.tenant AND x.erasure_id = e.id AND x.id <> ''
                WHERE e.kind = 'events' AND e.kept_until < $1::timestamptz
                  AND NOT EXISTS (SELECT FROM events t WHERE t.tenant = x.tenant AND t.id = x.id)
                LIMIT ${rowsAtOnce}) AS old
        WHERE x.tenant = old.tenant AND x.id = old.id
       RETURNING x.id`,
      [formatMicros(now)],
    );
    removed += rows.length;
    return { last: rows.length < rowsAtOnce };
  });
  return removed;
}

/** Receipts that are as old as events may become, and stand for no event any more. @returns how many */
export async function sweepErasures(postgres: Postgres, before: number): Promise<number> {
  const rows = await postgres.query(
    `DELETE FROM erasures e
      WHERE e.kind = 'events' AND e.completed_at < $1::timestamptz
        AND NOT EXISTS (SELECT FROM erased x WHERE x.tenant = e.tenant AND x.erasure_id = e.id)
     RETURNING e.id`,
    [formatMicros(before)],
  );
  return rows.length;
}

/** Deleted tenants that Kafka has nothing of any more: the name is new again. @returns how many */
export async function forgetTenants(postgres: Postgres, now: number): Promise<number> {
  const tenants = await postgres.query<{ tenant: string }>(
    `SELECT tenant FROM erasures WHERE kind = 'tenant' AND kept_until < $1::timestamptz`,
    [formatMicros(now)],
  );
  for (const { tenant } of tenants) {
    // Followers of the table forget it first: a row that goes is not heard of.
    const buried = await postgres.query(
      `UPDATE erased SET buried = true WHERE tenant = $1 AND id = '' AND NOT buried RETURNING id`,
      [tenant],
    );
    if (buried.length === 0) await postgres.transaction((tx) => forgetTenant(tx, tenant));
  }
  return tenants.length;
}
