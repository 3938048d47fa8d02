import { createPostgres, type Postgres, watchClock } from '#lib/postgres';
import { type Clock, silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { startTcpProxy, type TcpProxy } from '../../faults/network/tcp-proxy.ts';
import { seriesOf } from '../../support/series.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

let registry: Metrics;
let link: TcpProxy;
let postgres: Postgres;
beforeEach(async () => {
  registry = new Metrics();
  const url = new URL(serverAddresses().databaseUrl);
  link = await startTcpProxy({ host: url.hostname, port: Number(url.port) }, Math.random);
  url.host = `127.0.0.1:${link.port}`;
  postgres = createPostgres({
    url: url.href,
    applicationName: 'measured',
    maxConnections: 2,
    statementTimeoutMs: 5_000,
    log: silentLogger,
    metrics: registry,
  });
  await postgres.start();
});
afterEach(async () => {
  await postgres.stop();
  await link.close();
});

const series = (name: string): Promise<Record<string, number>> => seriesOf(registry, `hookline_${name}`);
const up = async (): Promise<number | undefined> => (await series('dependency_up'))['dependency="postgres"'];

test('statements are counted and timed by their pool, failures by their code', async () => {
  await postgres.query('SELECT 1');
  await postgres.transaction((tx) => tx.query('SELECT 2'));
  await expect(postgres.query('SELECT 1 / 0')).rejects.toMatchObject({ code: 'data_invalid' });
  await expect(postgres.query('SELECT nothing FROM nowhere')).rejects.toMatchObject({ code: 'bug' });
  expect(await series('postgres_errors_total')).toEqual({
    'pool="measured",code="store_unavailable"': 0,
    'pool="measured",code="data_invalid"': 1,
    'pool="measured",code="bug"': 1,
  });
  // Six statements, BEGIN and COMMIT among them.
  expect(await registry.metrics()).toContain('hookline_postgres_query_seconds_count{pool="measured"} 6\n');
  expect(await up()).toBe(1);
});

test('the pool’s connections and those who wait for one are shown as they are when they are read', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const holders = [1, 2, 3].map(() => postgres.transaction(() => held));
  const inUse = 'pool="measured",state="in_use"';
  await waitUntil('both are in use', async () => (await series('postgres_connections'))[inUse] === 2);
  expect(await series('postgres_waiting')).toEqual({ 'pool="measured"': 1 });
  expect(await series('postgres_connections_max')).toEqual({ 'pool="measured"': 2 });
  release();
  await Promise.all(holders);
  expect(await series('postgres_connections')).toEqual({ [inUse]: 0, 'pool="measured",state="idle"': 2 });
  expect(await series('postgres_waiting')).toEqual({ 'pool="measured"': 0 });
});

test('Postgres is away while it can’t be reached, and not because of a lock that is taken', async () => {
  await postgres.query('SELECT 1');
  expect(await up()).toBe(1);
  await link.set({ kind: 'refuses' });
  await expect(postgres.query('SELECT 1')).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await up()).toBe(0);
  await expect(postgres.transaction(async () => undefined)).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await up()).toBe(0);
  await link.set(undefined);
  await waitUntil('it is back', () => postgres.query('SELECT 1').then(Boolean, () => false));
  expect(await up()).toBe(1);

  await postgres.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(718)');
    const refused = postgres.transaction(async (other) => {
      await other.query(`SELECT set_config('lock_timeout', '20ms', true)`);
      await other.query('SELECT pg_advisory_xact_lock(718)');
    });
    await expect(refused).rejects.toMatchObject({ code: 'store_unavailable' });
  });
  expect(await up()).toBe(1);
});

test.each([
  ['as late as Postgres', 0],
  ['ten seconds behind it', -10_000],
  ['an hour ahead of it', 3_600_000],
])('a clock that is %s is told to be', async (_, offMs) => {
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + offMs };
  const part = watchClock({ postgres, clock, log: silentLogger, metrics: registry });
  await part.start();
  await waitUntil('it has asked', async () => Object.values(await series('clock_skew_seconds'))[0] !== 0);
  await part.stop();
  const [skew = 0] = Object.values(await series('clock_skew_seconds'));
  expect(Math.abs(skew - -offMs / 1000)).toBeLessThan(0.3);
});
