import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServerAddresses } from '#deploy/local/servers/server-addresses.ts';
import { migrate, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { withDatabase } from './with-database.ts';

export const migrations = resolve(import.meta.dirname, '../../deploy/postgres/migrations');

/** The addresses of Kafka, Redis, Postgres and the registry of this test run: see start-servers.ts. */
export function serverAddresses(): ServerAddresses {
  const file = process.env.HOOKLINE_TEST_SERVERS;
  if (file === undefined) throw new Error('no servers: run with jest --selectProjects integration or e2e');
  return JSON.parse(readFileSync(file, 'utf8')) as ServerAddresses;
}

/**
 * Long enough for a process that waits for a core, and less than half of production's: most of a test with kills is waiting for it. The
 * fault runs by hand keep production's.
 */
export const sessionTimeoutOfTests = 4_000;

/** A name that no other suite and no other run has, for topics, groups and keys: `dedup-3f9c21aa.`. It may stand before any name. */
export const uniquePrefix = (name: string): string => `${name}-${randomBytes(4).toString('hex')}.`;

/** A new database with all migrations run, for one suite: a copy of one that has them. Returns its URL. */
export const createDatabase = (): Promise<string> =>
  asAdmin(async (admin) => {
    await admin.query(`SELECT pg_advisory_lock(hashtext('${template}'))`);
    const found = await admin.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (found.length === 0) {
      // Renamed once it is whole: a migration that fails leaves no template.
      const half = nameOfNew();
      await admin.query(`CREATE DATABASE ${half}`);
      await migrate({ url: urlOf(half), directory: migrations, log: silentLogger });
      await admin.query(`ALTER DATABASE ${half} RENAME TO ${template}`);
    }
    const name = nameOfNew();
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return urlOf(name);
  });

/** A new database with nothing in it. Returns its URL. */
export const createEmptyDatabase = (): Promise<string> =>
  asAdmin(async (admin) => {
    const name = nameOfNew();
    await admin.query(`CREATE DATABASE ${name}`);
    return urlOf(name);
  });

/** Servers may outlive a change of the migrations, whose template has another name then. */
const template = `template_${hashOfMigrations()}`;

function hashOfMigrations(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(migrations).sort()) hash.update(file).update(readFileSync(resolve(migrations, file)));
  return hash.digest('hex').slice(0, 12);
}

const nameOfNew = (): string => `test_${randomBytes(6).toString('hex')}`;

function urlOf(database: string): string {
  const url = new URL(serverAddresses().databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}

const asAdmin = <T>(work: (admin: Postgres) => Promise<T>): Promise<T> =>
  withDatabase(serverAddresses().databaseUrl, work);
