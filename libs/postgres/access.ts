/** A process's access to Postgres: address, TLS, password. Plain data: threads are given it as well. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { type ConfigOf, type DatabaseTls, type postgresFields, readDatabaseUrl } from '#lib/config';
import { createClientTls } from '#lib/net';
import { AppError } from '#lib/runtime';

export interface PostgresAccess {
  /** Without parameters of TLS. */
  url: string;
  /** undefined: not encrypted. */
  tls?: DatabaseTls | undefined;
  /** Its text is the password; undefined: that of the URL. */
  passwordFile?: string | undefined;
}

/** Settings as checked by `postgresRelations`. */
export function postgresAccess(settings: ConfigOf<typeof postgresFields>): PostgresAccess {
  const { url, tls } = readDatabaseUrl(settings);
  const { databasePasswordFile } = settings;
  return { url, tls, passwordFile: databasePasswordFile === '' ? undefined : databasePasswordFile };
}

/**
 * The driver's client for this access. Each new connection reads the files anew: renewed certificates and a new password need no restart.
 *
 * @throws AppError config_invalid if a file can't be used; later on, the connection fails instead
 */
export function clientOf(access: PostgresAccess): new (config?: pg.ClientConfig) => pg.Client {
  const { url, passwordFile } = access;
  const tlsOptions = createTlsOptions(access.tls);
  if (passwordFile !== undefined) {
    try {
      readPassword(passwordFile);
    } catch (error) {
      throw new AppError('config_invalid', `no password for Postgres: ${(error as Error).message}`, { cause: error });
    }
  }
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: url, ssl: tlsOptions() });
      // Not as an option: the URL's, even if it has none, would win. Called when the server asks for it.
      if (passwordFile !== undefined) Object.assign(this, { password: async () => readPassword(passwordFile) });
    }
  };
}

/** libpq's meanings. `require` with a CA verifies as `verify-ca` does, as it has always been there. */
function createTlsOptions(tls: DatabaseTls | undefined): () => false | ConnectionOptions {
  if (tls === undefined) return () => false;
  const files = createClientTls(tls);
  const verifying: ConnectionOptions =
    tls.mode === 'verify-full'
      ? {}
      : tls.caFile === ''
        ? { rejectUnauthorized: false }
        : { checkServerIdentity: () => undefined };
  return () => ({ ...files.options(), ...verifying });
}

function readPassword(file: string): string {
  const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${file} is empty`);
  return password;
}
