import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServerAddresses } from '#deploy/local/servers/server-addresses.ts';
import { silentLogger } from '#lib/log';
import { createPostgres, migrate } from '#lib/postgres';

export const migrations = resolve(import.meta.dirname, '../../deploy/postgres/migrations');

/** The addresses of Kafka, Redis, Postgres and the registry of this test run: see start-servers.ts. */
export function serverAddresses(): ServerAddresses {
  const file = process.env.HOOKLINE_TEST_SERVERS;
  if (file === undefined) throw new Error('no servers: run with jest --selectProjects integration or e2e');
  return JSON.parse(readFileSync(file, 'utf8')) as ServerAddresses;
}

/**
 * Long enough for a process that waits for a core, and less than half of production's: most of a test with kills is waiting for it. The
 * system run keeps production's.
 */
export const sessionTimeoutOfTests = 4_000;

/** A name that no other suite and no other run has, for topics, groups and keys: `dedup-3f9c21aa.`. It may stand before any name. */
export const uniquePrefix = (name: string): string => `${name}-${randomBytes(4).toString('hex')}.`;

/** A new database with all migrations run, for one suite. Returns its URL. */
export async function createDatabase(): Promise<string> {
  const url = await createEmptyDatabase();
  await migrate({ url, directory: migrations, log: silentLogger });
  return url;
}

/** A new database with nothing in it. Returns its URL. */
export async function createEmptyDatabase(): Promise<string> {
  const { databaseUrl } = serverAddresses();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const admin = createPostgres({
    url: databaseUrl,
    applicationName: 'create-database',
    maxConnections: 1,
    statementTimeoutMs: 30_000,
    log: silentLogger,
  });
  await admin.start();
  try {
    await admin.query(`CREATE DATABASE ${name}`);
  } finally {
    await admin.stop();
  }
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}
