import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createListener, createPools, createPostgres, migrate, type Postgres } from '#lib/postgres';
import { freePorts } from '#deploy/local/stack/free-ports.ts';
import { type Logger, systemClock as clock } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';
import { startOwnPostgres } from './own-postgres.ts';

const run = promisify(execFile);
const directory = join(import.meta.dirname, '../../../deploy/postgres/migrations');
let server: Awaited<ReturnType<typeof startOwnPostgres>>;
const open: { stop(): Promise<unknown> }[] = [];
const events: string[] = [];
const note = ({ event }: { event: string }): void => void events.push(event);
const log: Logger = { debug: note, info: note, warn: note, error: note, isOn: () => true };

beforeAll(async () => void (server = await startOwnPostgres()));
afterAll(() => server?.stop());
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
  events.splice(0);
});

async function startPooler(...args: Parameters<typeof server.startPooler>): Promise<string> {
  const pooler = await server.startPooler(...args);
  open.push(pooler);
  return urlAt(pooler.port);
}
const urlAt = (port: number): string =>
  `postgres://hookline:${encodeURIComponent(server.password)}@127.0.0.1:${port}/hookline`;
function opened(url: string, maxConnections = 2): Postgres {
  const postgres = createPostgres({
    url,
    applicationName: 'test',
    maxConnections,
    statementTimeoutMs: 4_321,
    log,
  });
  open.push(postgres);
  return postgres;
}

describe('PgBouncer in session mode', () => {
  test('is taken, with the settings of our sessions, transactions, prepared statements and advisory locks', async () => {
    const postgres = opened(await startPooler('session'));
    await postgres.start();
    const settingsOf = async (): Promise<unknown> =>
      postgres.query(`SELECT current_setting('timezone') AS zone, current_setting('jit') AS jit,
        current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`);
    const ours = [{ zone: 'UTC', jit: 'off', statement: '4321ms', idle: '5s' }];
    expect(await Promise.all([settingsOf(), settingsOf()])).toEqual([ours, ours]);
    for (let n = 0; n < 3; n += 1)
      expect(await postgres.query('SELECT $1::int AS n', [n], 'prepared')).toEqual([{ n }]);
    const held = await postgres.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(7)');
      return tx.query(
        `SELECT count(*)::int AS locks FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
      );
    });
    expect(held).toEqual([{ locks: 1 }]);
    expect(events).toEqual([]);
  });

  test('migrations run through it, and notifications come', async () => {
    const url = await startPooler('session');
    expect(await migrate({ url, directory, log })).toContain('0001_initial');
    expect(await migrate({ url, directory, log })).toEqual([]);

    let isListening = false;
    const heard: string[] = [];
    const listener = createListener({
      url,
      applicationName: 'test',
      channel: 'news',
      clock,
      log,
      onListening: () => void (isListening = true),
      onNotification: (payload) => void heard.push(payload),
    });
    open.push(listener);
    await listener.start();
    await waitUntil('it listens', () => isListening);
    await opened(url).query(`SELECT pg_notify('news', 'it works')`);
    await waitUntil('the notification comes', () => heard.length > 0);
    expect(heard).toEqual(['it works']);
  });

  test('is taken where it hands out sessions by turns', async () => {
    const postgres = opened(await startPooler('session', { server_round_robin: '1' }));
    await postgres.start();
    expect(await postgres.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('PgBouncer in another mode', () => {
  const refusal = {
    code: 'config_invalid',
    message: expect.stringMatching(/transaction mode.*LISTEN.*session mode/) as string,
  };

  test.each(['transaction', 'statement'] as const)('%s mode is refused at the start, with the reason', async (mode) => {
    const url = await startPooler(mode);
    await expect(opened(url).start()).rejects.toMatchObject(refusal);
    await expect(migrate({ url, directory, log })).rejects.toMatchObject(refusal);
    const openPool = createPools({ url, name: 'test', log });
    const pool = openPool({ maxConnections: 1, statementTimeoutMs: 1_000 });
    open.push(pool);
    await expect(pool.start()).rejects.toMatchObject(refusal);
  });

  test('it is found where sessions are handed out by turns', async () => {
    const url = await startPooler('transaction', { server_round_robin: '1' });
    // Several sessions, so that there are turns.
    await busy(url, 3, 1);
    await expect(opened(url).start()).rejects.toMatchObject(refusal);
  });

  test('it is found among other users of the pooler, and nothing is left in their sessions', async () => {
    const url = await startPooler('transaction');
    const others = spawnBusy(url, 4, 8);
    for (let n = 0; n < 5; n += 1) await expect(opened(url).start()).rejects.toMatchObject(refusal);
    expect((await once(others, 'exit'))[0]).toBe(0);
    const { stdout } = await run(join(server.bin, 'psql'), [url, '-Atc', 'SHOW statement_timeout']);
    expect(stdout.trim()).toBe('0');
  });

  test('that comes later is waited for like a server that is away: nothing is given up, and the log says why', async () => {
    const [port = 0] = await freePorts(1);
    const postgres = opened(urlAt(port));
    await postgres.start();
    await expect(postgres.query('SELECT 1')).rejects.toMatchObject({ code: 'store_unavailable' });
    const wrong = await server.startPooler('transaction', {}, port);
    for (let n = 0; n < 2; n += 1)
      await expect(postgres.query('SELECT 1')).rejects.toMatchObject({ ...refusal, code: 'store_unavailable' });
    expect(events.filter((event) => event === 'postgres.refused')).toHaveLength(1);
    await wrong.stop();
    open.push(await server.startPooler('session', {}, port));
    expect(await postgres.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

/** Transactions of other users, each of which takes some milliseconds. */
function spawnBusy(url: string, clients: number, seconds: number): ReturnType<typeof spawn> {
  const script = join(server.dir, 'busy.sql');
  writeFileSync(script, 'SELECT pg_sleep(0.002);\n');
  const { port, username } = new URL(url);
  return spawn(
    join(server.bin, 'pgbench'),
    [
      '-n',
      '-c',
      String(clients),
      '-T',
      String(seconds),
      '-f',
      script,
      '-h',
      '127.0.0.1',
      '-p',
      port,
      '-U',
      username,
      'hookline',
    ],
    { env: { PATH: process.env.PATH, PGPASSWORD: server.password }, stdio: 'ignore' },
  );
}
const busy = (...args: Parameters<typeof spawnBusy>): Promise<unknown> => once(spawnBusy(...args), 'exit');
