import type { Postgres } from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { Metrics } from '#lib/telemetry';
import { watchDatabase } from '../../../services/projector/database-vitals.ts';
import { createProjectorMetrics } from '../../../services/projector/metrics.ts';
import { seriesOf } from '../../support/series.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { closePostgres, openDatabase } from './projection.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

async function measure(maxBytes = 0) {
  const registry = new Metrics();
  const metrics = createProjectorMetrics(registry);
  const part = watchDatabase({ postgres, maxBytes, clock: systemClock, log: silentLogger, metrics });
  const series = (name: string): Promise<Record<string, number>> => seriesOf(registry, `hookline_database_${name}`);
  await part.start();
  await waitUntil('the tables are measured', async () => Object.keys(await series('table_bytes')).length > 0);
  await part.stop();
  const value = async (name: string): Promise<number> => (await series(name))[''] ?? Number.NaN;
  return { series, value };
}

test('the sizes are of the whole database and of each table with its partitions', async () => {
  await postgres.query(`CREATE TABLE event_payloads_20260301 PARTITION OF event_payloads
                          FOR VALUES FROM ('2026-03-01') TO ('2026-03-02')`);
  const before = await measure();
  const payloads = 'table="event_payloads"';
  const bytesBefore = (await before.series('table_bytes'))[payloads] ?? 0;
  await postgres.query(`INSERT INTO event_payloads
                        SELECT 'default', 'evt_' || n, '2026-03-01T12:00:00Z', 'text/plain', decode(repeat(md5(n::text), 60), 'hex')
                          FROM generate_series(1, 2000) n`);
  const after = await measure(5_000_000_000);
  const tables = await after.series('table_bytes');
  expect((tables[payloads] ?? 0) - bytesBefore).toBeGreaterThan(1_000_000);
  expect(Object.keys(tables)).toEqual(expect.arrayContaining(['table="events"', 'table="dedup_keys"']));
  expect(Object.keys(tables).filter((table) => /\d|default/.test(table))).toEqual([]);
  expect(await after.value('bytes')).toBeGreaterThan(await before.value('bytes'));
  expect(await after.value('max_bytes')).toBe(5_000_000_000);
});

test('a transaction that is left open is told of with its age, and is forgotten when it has ended', async () => {
  await postgres.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await tx.query('SELECT count(*) FROM events');
    await tx.query('SELECT pg_sleep(1.2)');
    const { value } = await measure();
    expect(await value('oldest_snapshot_seconds')).toBeGreaterThan(1);
    expect(await value('oldest_snapshot_seconds')).toBeLessThan(60);
  });
  expect(await (await measure()).value('oldest_snapshot_seconds')).toBeLessThan(1);
});

test('sessions and transaction ids stand beside their bounds', async () => {
  const { value } = await measure();
  const [max = 0, sessions = 0] = [await value('sessions_max'), await value('sessions')];
  expect(sessions).toBeGreaterThanOrEqual(1);
  expect(sessions).toBeLessThanOrEqual(max);
  expect(await value('transaction_id_age')).toBeGreaterThan(0);
});
