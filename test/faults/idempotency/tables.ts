import { createPostgres, type Postgres } from '#lib/postgres';
import { parseRfc3339, silentLogger } from '#lib/runtime';
import type { EventRow, Rows } from './history.ts';

/** Connections of the run's own, for what it asks the tables, and does to the connections of others. */
export async function openTables(url: string): Promise<Postgres> {
  const postgres = createPostgres({
    url,
    applicationName: 'idempotency-run',
    maxConnections: 2,
    statementTimeoutMs: 60_000,
    log: silentLogger,
  });
  await postgres.start();
  return postgres;
}

/** Events that are not on their topic yet. */
export const unpublished = async (postgres: Postgres): Promise<number> =>
  (await postgres.query('SELECT FROM outbox')).length;

export async function readRows(postgres: Postgres): Promise<Rows> {
  // No projector runs here: updated_at is still the time of the insert.
  const events = await postgres.query<Omit<EventRow, 'receivedAtMs'> & { receivedAt: string }>(
    `SELECT tenant, id, type AS mark, ordering_key AS "orderingKey", received_at AS "receivedAt"
       FROM events ORDER BY tenant, updated_at`,
  );
  return {
    events: events.map(({ receivedAt, ...row }) => ({
      ...row,
      receivedAtMs: (parseRfc3339(receivedAt) ?? Number.NaN) / 1_000,
    })),
    endpoints: await postgres.query('SELECT tenant, id, description AS mark FROM endpoints'),
    dedupKeys: await postgres.query(
      `SELECT tenant, event_id AS "eventId", expires_at IS NOT NULL AS "isCompleted" FROM dedup_keys`,
    ),
    records: await postgres.query(
      `SELECT tenant, encode(key_hash, 'hex') AS "keyHash", response IS NOT NULL AND locked_until IS NULL AS "isFinal"
         FROM idempotency_keys`,
    ),
    outbox: await postgres.query('SELECT tenant, event_id AS "eventId" FROM outbox'),
  };
}
