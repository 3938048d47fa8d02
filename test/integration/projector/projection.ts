import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { type GuardingStatements, writeBatch } from '../../../services/projector/write-batch.ts';
import { createDatabase } from '../../support/servers.ts';

/** A database of the suite's own. Its commits wait for no disk: what is tested here is no power cut, and hundreds of them take their time. */
export async function openDatabase(maxConnections = 4): Promise<Postgres> {
  const url = await createDatabase();
  const open = (connections: number): Postgres =>
    createPostgres({
      url,
      applicationName: 'hookline-test',
      maxConnections: connections,
      statementTimeoutMs: 20_000,
      isPipelined: true,
      log: silentLogger,
    });
  const first = open(1);
  await first.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  await closePostgres(first);
  return open(maxConnections);
}

export async function closePostgres(postgres: Postgres | undefined): Promise<void> {
  await postgres?.start();
  await postgres?.stop();
}

/** Partitions that tell endpoints apart, to be found in rows again. */
export const partitionOf = (endpointId: string): number => endpointId.length;

export async function project(
  postgres: Postgres,
  facts: readonly Fact[],
  statements?: GuardingStatements,
): Promise<void> {
  await postgres.transaction((tx) => writeBatch(tx, toBatchRows(facts, partitionOf), statements));
}

/** All that was projected for a tenant, but for its name and what depends on the time or on the name. */
export async function projectedRows(postgres: Postgres, tenant: string): Promise<Record<string, unknown[]>> {
  const tables = {
    events: ['id', "'{tenant,updated_at}'"],
    event_payloads: ['event_id', "'{tenant}'"],
    receipts: ['origin', "'{tenant}'"],
    fan_outs: ['event_id, generation', "'{tenant}'"],
    fan_out_chunks: ['event_id, generation, try, chunk', "'{tenant}'"],
    deliveries: ['id', "'{tenant}'"],
    attempts: ['delivery_id, step', "'{tenant}'"],
    waiting: ['delivery_id', "'{tenant}'"],
    dead_letters: ['stage, origin', "'{tenant,id}'"],
  };
  const rows: Record<string, unknown[]> = {};
  for (const [table, [key, leftOut]] of Object.entries(tables)) {
    const found = await postgres.query<{ row: object }>(
      `SELECT to_jsonb(t) - ${leftOut}::text[] AS row FROM ${table} t WHERE tenant = $1 ORDER BY ${key}`,
      [tenant],
    );
    rows[table] = found.map(({ row }) => row);
  }
  return rows;
}
