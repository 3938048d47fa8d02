import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresFields, readConfig } from '#lib/config';
import { silentLogger as log } from '#lib/runtime';
import { createPostgres, migrate, type Postgres, type PostgresAccess, postgresAccess } from '#lib/postgres';
import { authority, broker, client } from '../kafka/certificates.ts';
import { startOwnPostgres } from './own-postgres.ts';

let server: Awaited<ReturnType<typeof startOwnPostgres>>;
let unencrypted: Awaited<ReturnType<typeof startOwnPostgres>>;
let caFile: string;
let otherCaFile: string;
const open: Postgres[] = [];

/** Its certificate is for 127.0.0.1, so `localhost` is another host. */
beforeAll(async () => {
  [server, unencrypted] = await Promise.all([startOwnPostgres(broker), startOwnPostgres()]);
  caFile = fileOf('ca.pem', authority);
  otherCaFile = fileOf('other.pem', client.cert);
});
afterAll(() => Promise.all([server?.stop(), unencrypted?.stop()]));
afterEach(async () => {
  for (const postgres of open.splice(0)) await postgres.stop();
});

function fileOf(name: string, text: string): string {
  const file = join(server.dir, name);
  writeFileSync(file, text);
  return file;
}
const urlOf = (host = '127.0.0.1', at = server): string =>
  `postgres://hookline:${encodeURIComponent(at.password)}@${host}:${at.port}/hookline`;
const accessOf = (env: Record<string, string>): PostgresAccess =>
  postgresAccess(readConfig(postgresFields, { HOOKLINE_DATABASE_URL: urlOf(), ...env }));
function opened(access: PostgresAccess): Postgres {
  const postgres = createPostgres({
    ...access,
    applicationName: 'test',
    maxConnections: 1,
    statementTimeoutMs: 5_000,
    log,
  });
  open.push(postgres);
  return postgres;
}
const isEncrypted = async (access: PostgresAccess): Promise<boolean | undefined> => {
  const [row] = await opened(access).query<{ ssl: boolean }>(
    'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
  );
  return row?.ssl;
};

describe('TLS, as libpq means it', () => {
  test.each<[mode: string, host: string, ca: () => string]>([
    ['require', 'localhost', () => ''],
    ['require', 'localhost', () => caFile],
    ['verify-ca', 'localhost', () => caFile],
    ['verify-full', '127.0.0.1', () => caFile],
  ])('%s to %s is encrypted', async (mode, host, ca) => {
    const env = { HOOKLINE_DATABASE_URL: urlOf(host), HOOKLINE_DATABASE_SSLMODE: mode };
    expect(await isEncrypted(accessOf({ ...env, HOOKLINE_DATABASE_CA_FILE: ca() }))).toBe(true);
  });

  test('so it is by the URL alone', async () => {
    const url = `${urlOf()}?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`;
    expect(await isEncrypted(accessOf({ HOOKLINE_DATABASE_URL: url }))).toBe(true);
  });

  test.each(['', 'disable'])('`%s` is not encrypted', async (mode) => {
    expect(await isEncrypted(accessOf({ HOOKLINE_DATABASE_SSLMODE: mode }))).toBe(false);
  });

  test.each<[mode: string, host: string, ca: () => string, says: RegExp]>([
    ['require', '127.0.0.1', () => otherCaFile, /certificate/],
    ['verify-ca', '127.0.0.1', () => otherCaFile, /certificate/],
    ['verify-full', '127.0.0.1', () => '', /certificate/],
    ['verify-full', 'localhost', () => caFile, /does not match certificate/],
  ])('%s to %s with another certificate is refused', async (mode, host, ca, says) => {
    const env = { HOOKLINE_DATABASE_URL: urlOf(host), HOOKLINE_DATABASE_SSLMODE: mode };
    const asking = isEncrypted(accessOf({ ...env, HOOKLINE_DATABASE_CA_FILE: ca() }));
    await expect(asking).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(says) as string,
    });
  });

  test('a server without TLS is not spoken to unencrypted', async () => {
    const access = accessOf({
      HOOKLINE_DATABASE_URL: urlOf('127.0.0.1', unencrypted),
      HOOKLINE_DATABASE_SSLMODE: 'require',
    });
    await expect(opened(access).query('SELECT 1')).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(/does not support SSL/) as string,
    });
  });

  test('migrations take the same way', async () => {
    const directory = join(import.meta.dirname, '../../../deploy/postgres/migrations');
    const refused = accessOf({ HOOKLINE_DATABASE_SSLMODE: 'verify-full', HOOKLINE_DATABASE_CA_FILE: otherCaFile });
    await expect(migrate({ ...refused, directory, log })).rejects.toMatchObject({ code: 'store_unavailable' });
    const access = accessOf({ HOOKLINE_DATABASE_SSLMODE: 'verify-full', HOOKLINE_DATABASE_CA_FILE: caFile });
    expect(await migrate({ ...access, directory, log })).toContain('0001_initial');
  });
});

describe('a password file', () => {
  const urlWithout = (): string => `postgres://rotated@127.0.0.1:${server.port}/hookline`;
  const sql = (text: string): Promise<unknown> => opened({ url: urlOf() }).query(text);
  const endSessions = (): Promise<unknown> =>
    sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'rotated'`);

  test('is read anew at each new connection: a new password needs no restart', async () => {
    await sql(`CREATE ROLE rotated LOGIN PASSWORD 'first'`);
    const file = fileOf('password', 'first\n');
    const access = accessOf({ HOOKLINE_DATABASE_URL: urlWithout(), HOOKLINE_DATABASE_PASSWORD_FILE: file });
    expect(JSON.stringify(access)).not.toContain('first');
    const postgres = opened(access);
    await postgres.start();
    await postgres.query('SELECT 1');

    await sql(`ALTER ROLE rotated PASSWORD 'second'`);
    // Connections that are open stay so.
    await postgres.query('SELECT 1');
    await endSessions();
    const failing = postgres.query('SELECT 1').then(() => postgres.query('SELECT 1'));
    await expect(failing).rejects.toMatchObject({ code: 'store_unavailable' });

    fileOf('password', 'second');
    // The pool may still have a connection whose end it has not heard of.
    const [row] = await postgres
      .query<{ user: string }>('SELECT current_user AS user')
      .catch(() => postgres.query<{ user: string }>('SELECT current_user AS user'));
    expect(row).toEqual({ user: 'rotated' });

    rmSync(file);
    await endSessions();
    const message = await postgres.query('SELECT 1').then(
      () => postgres.query('SELECT 1').catch((error: Error) => error.message),
      () => postgres.query('SELECT 1').catch((error: Error) => error.message),
    );
    expect(message).toMatch(/no such file/);
  });

  test('that is not there, or is empty, is reported at the start', () => {
    const withFile = (file: string) => (): Postgres =>
      opened(accessOf({ HOOKLINE_DATABASE_URL: urlWithout(), HOOKLINE_DATABASE_PASSWORD_FILE: file }));
    expect(withFile(join(server.dir, 'none'))).toThrow(/^no password for Postgres: .*none/);
    expect(withFile(fileOf('empty', '\n'))).toThrow(/empty is empty$/);
  });
});
