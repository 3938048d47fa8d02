import type { Query } from '#lib/postgres';

// Locked rows are being taken over: theirs is a new life.
const sweepSql = `
WITH expired AS (
  SELECT tenant, credential, key_hash FROM idempotency_keys
  WHERE expires_at <= clock_timestamp()
  ORDER BY expires_at
  LIMIT $1
  FOR UPDATE SKIP LOCKED
), swept AS (
  DELETE FROM idempotency_keys USING expired
  WHERE idempotency_keys.tenant = expired.tenant
    AND idempotency_keys.credential = expired.credential
    AND idempotency_keys.key_hash = expired.key_hash
  RETURNING 1
)
SELECT count(*)::integer AS swept FROM swept`;

/** Removes up to `limit` rows that are expired. @returns how many; fewer than `limit`: there are no more */
export async function sweepExpiredKeys(postgres: Query, limit: number): Promise<number> {
  const [row] = await postgres.query<{ swept: number }>(sweepSql, [limit]);
  return row?.swept ?? 0;
}
