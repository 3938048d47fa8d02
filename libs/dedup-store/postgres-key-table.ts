import type { Query } from '#lib/postgres';
import { formatMicros, microsOf } from '#lib/runtime';
import type { Candidate, KeyRow, KeyTable } from './ports.ts';

/*
 * Batches go in as arrays, one per column. Every statement that locks or adds rows does so in the order of the keys' bytes (`n`, after
 * `inKeyOrder`), whatever the plan: two batches that overlap then wait for each other, never in a ring.
 */

const insertSql = `
INSERT INTO dedup_keys (tenant, key, origin, event_id, body_hash)
SELECT tenant, key, origin, event_id, body_hash
FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::bytea[]) WITH ORDINALITY
  AS c (tenant, key, origin, event_id, body_hash, n)
ORDER BY n
ON CONFLICT (tenant, key) DO NOTHING
RETURNING key`;

const readSql = `
SELECT d.key, d.event_id, d.body_hash, d.generation, d.expires_at
FROM unnest($1::text[], $2::bytea[]) AS c (tenant, key)
JOIN dedup_keys d USING (tenant, key)`;

// The generation alone is not enough: a row that was swept and added again starts at 0. An expired row can't be such a row.
const takeOverSql = `
WITH wanted AS (
  SELECT c.*
  FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[], $7::integer[]) WITH ORDINALITY
    AS c (tenant, key, origin, event_id, body_hash, received_at, generation, n)
  JOIN dedup_keys d USING (tenant, key)
  WHERE d.generation = c.generation AND d.expires_at <= c.received_at
  ORDER BY n
  FOR UPDATE OF d
)
UPDATE dedup_keys d
SET generation = d.generation + 1, origin = w.origin, event_id = w.event_id, body_hash = w.body_hash,
    expires_at = NULL
FROM wanted w
WHERE d.tenant = w.tenant AND d.key = w.key
RETURNING d.key`;

// Adds a row that is gone (released by a worker that had been paused, lost with the database): the event is on its topic.
const completeSql = `
INSERT INTO dedup_keys AS d (tenant, key, event_id, body_hash, expires_at)
SELECT tenant, key, event_id, body_hash, now() + make_interval(secs => ttl_seconds)
FROM unnest($1::text[], $2::bytea[], $3::text[], $4::bytea[], $5::integer[]) WITH ORDINALITY
  AS c (tenant, key, event_id, body_hash, ttl_seconds, n)
ORDER BY n
ON CONFLICT (tenant, key) DO UPDATE SET origin = NULL, expires_at = excluded.expires_at
WHERE d.event_id = excluded.event_id AND d.expires_at IS NULL
RETURNING d.key, d.expires_at`;

const removeSql = `
DELETE FROM dedup_keys WHERE tenant = $1 AND key = $2 AND event_id = $3 AND expires_at IS NULL`;

// Locked rows are being taken over: theirs is a new life.
const dropExpiredSql = `
WITH expired AS (
  SELECT tenant, key FROM dedup_keys
  WHERE expires_at < now() - make_interval(secs => $1)
  ORDER BY expires_at
  LIMIT $2
  FOR UPDATE SKIP LOCKED
), dropped AS (
  DELETE FROM dedup_keys d USING expired e WHERE d.tenant = e.tenant AND d.key = e.key RETURNING 1
)
SELECT count(*)::integer AS dropped FROM dropped`;

interface SelectedRow {
  key: Buffer;
  event_id: string;
  body_hash: Buffer;
  generation: number;
  expires_at: string | null;
}

export function createPostgresKeyTable(postgres: Query): KeyTable {
  /** The statement's keys, as the positions of the candidates that they belong to. */
  const touched = async (name: string, sql: string, values: unknown[], given: readonly Candidate[]) => {
    const rows = await postgres.query<{ key: Buffer }>(sql, values, name);
    const keys = new Set(rows.map(nameOf));
    return given.map((candidate) => keys.has(nameOf(candidate)));
  };

  return {
    insert(candidates) {
      const sorted = inKeyOrder(candidates, (candidate) => candidate);
      return touched('dedup_insert', insertSql, identityColumns(sorted), candidates);
    },
    async read(candidates) {
      const rows = await postgres.query<SelectedRow>(
        readSql,
        [candidates.map((candidate) => candidate.tenant), candidates.map((candidate) => candidate.key)],
        'dedup_read',
      );
      const byKey = new Map(rows.map((row) => [nameOf(row), keyRowOf(row)]));
      return candidates.map((candidate) => byKey.get(nameOf(candidate)));
    },
    takeOver(wanted) {
      const sorted = inKeyOrder(wanted, ({ candidate }) => candidate);
      const columns = [
        ...identityColumns(sorted.map(({ candidate }) => candidate)),
        sorted.map(({ candidate }) => formatMicros(candidate.receivedAt)),
        sorted.map(({ generation }) => generation),
      ];
      const given = wanted.map(({ candidate }) => candidate);
      return touched('dedup_take_over', takeOverSql, columns, given);
    },
    async complete(candidates) {
      const sorted = inKeyOrder(candidates, (candidate) => candidate);
      const [tenants, keys, , eventIds, bodyHashes] = identityColumns(sorted);
      const columns = [tenants, keys, eventIds, bodyHashes, sorted.map((candidate) => candidate.ttlSeconds)];
      const rows = await postgres.query<Pick<SelectedRow, 'key' | 'expires_at'>>(
        completeSql,
        columns,
        'dedup_complete',
      );
      const byKey = new Map(rows.map((row) => [nameOf(row), microsOrNull(row.expires_at)]));
      return candidates.map((candidate) => byKey.get(nameOf(candidate)) ?? undefined);
    },
    async remove({ tenant, key, eventId }) {
      await postgres.query(removeSql, [tenant, key, eventId], 'dedup_remove');
    },
    async dropExpired(keepSeconds, limit) {
      const [row] = await postgres.query<{ dropped: number }>(dropExpiredSql, [keepSeconds, limit]);
      return row?.dropped ?? 0;
    },
  };
}

const nameOf = ({ key }: { key: Buffer }): string => key.toString('latin1');
const microsOrNull = (time: string | null): number | null => (time === null ? null : microsOf(time));

const inKeyOrder = <T>(items: readonly T[], candidateOf: (item: T) => Candidate): T[] =>
  [...items].sort((a, b) => candidateOf(a).key.compare(candidateOf(b).key));

const identityColumns = (candidates: readonly Candidate[]): unknown[] => [
  candidates.map(({ tenant }) => tenant),
  candidates.map(({ key }) => key),
  candidates.map(({ origin }) => origin),
  candidates.map(({ eventId }) => eventId),
  candidates.map(({ bodyHash }) => bodyHash),
];

function keyRowOf(row: SelectedRow): KeyRow {
  return {
    eventId: row.event_id,
    bodyHash: row.body_hash,
    generation: row.generation,
    expiresAt: microsOrNull(row.expires_at),
  };
}
