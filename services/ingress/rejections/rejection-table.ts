import { addRejectedStats, type RejectedStatRow, run } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import type { RejectionRow } from './rejection-row.ts';

/** Rows of one statement: some milliseconds of locks. */
const sweptAtOnce = 1_000;

export interface RejectionTable {
  /** Safe to repeat after an unknown outcome. */
  insert(rows: readonly RejectionRow[]): Promise<void>;
  /** Adds to the statistics. */
  count(rows: readonly RejectedStatRow[]): Promise<void>;
  /** Leaves these sources their last ones. */
  trim(sourcesOf: readonly RejectionRow[], keep: number): Promise<void>;
  /** Removes some older rows. Any number of processes may call it; true: there may be more. */
  sweep(olderThanDays: number): Promise<boolean>;
}

const insertSql = `
INSERT INTO rejections (tenant, source_id, id, at, code, client_address, headers, body_bytes, body)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::jsonb[], $8::bigint[], $9::bytea[])
ON CONFLICT DO NOTHING`;

// Ids sort by their time. Sources in one order, so that two processes do not wait for each other crosswise.
const trimSql = `
WITH cut AS (
  SELECT tenant, source_id, (
    SELECT id FROM rejections kept
    WHERE kept.tenant = touched.tenant AND kept.source_id = touched.source_id
    ORDER BY id DESC OFFSET $3 - 1 LIMIT 1
  ) AS oldest
  FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t (tenant, source_id)) touched
), old AS (
  SELECT r.tenant, r.source_id, r.id FROM rejections r
  JOIN cut ON r.tenant = cut.tenant AND r.source_id = cut.source_id AND r.id < cut.oldest
  ORDER BY r.tenant, r.source_id, r.id
  FOR UPDATE OF r SKIP LOCKED
)
DELETE FROM rejections r USING old
WHERE r.tenant = old.tenant AND r.source_id = old.source_id AND r.id = old.id`;

const sweepSql = `
WITH old AS (
  SELECT tenant, source_id, id FROM rejections
  WHERE at < now() - make_interval(days => $1)
  ORDER BY at
  LIMIT $2
  FOR UPDATE SKIP LOCKED
), dropped AS (
  DELETE FROM rejections r USING old
  WHERE r.tenant = old.tenant AND r.source_id = old.source_id AND r.id = old.id
  RETURNING 1
)
SELECT count(*)::integer AS dropped FROM dropped`;

export function createRejectionTable(postgres: Query): RejectionTable {
  return {
    async insert(rows) {
      await postgres.query(insertSql, [
        rows.map((row) => row.tenant),
        rows.map((row) => row.source_id),
        rows.map((row) => row.id),
        rows.map((row) => row.at),
        rows.map((row) => row.code),
        rows.map((row) => row.client_address),
        rows.map((row) => row.headers),
        rows.map((row) => row.body_bytes),
        rows.map((row) => row.body),
      ]);
    },
    count: async (rows) => void (await run(postgres, addRejectedStats, rows)),
    async trim(rows, keep) {
      await postgres.query(trimSql, [rows.map((row) => row.tenant), rows.map((row) => row.source_id), keep]);
    },
    async sweep(olderThanDays) {
      const [row] = await postgres.query<{ dropped: number }>(sweepSql, [olderThanDays, sweptAtOnce]);
      return row?.dropped === sweptAtOnce;
    },
  };
}
