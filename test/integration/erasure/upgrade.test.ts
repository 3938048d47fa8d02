/** A database of the version before: attempts that do not tell their event. */
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeEventData } from '#lib/erasure';
import { createPostgres, migrate } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { createEmptyDatabase } from '../../support/servers.ts';
import { closePostgres } from '../projector/projection.ts';

const migrations = join(import.meta.dirname, '../../../deploy/postgres/migrations');

test('attempts from before are removed with their deliveries; what erasures had left behind goes with the migration', async () => {
  const before = await mkdtemp(join(tmpdir(), 'hookline-migrations-'));
  for (const file of (await readdir(migrations)).filter((name) => name < '0022'))
    await copyFile(join(migrations, file), join(before, file));
  const url = await createEmptyDatabase();
  await migrate({ url, directory: before, log: silentLogger });
  await rm(before, { recursive: true });
  const postgres = createPostgres({
    url,
    applicationName: 'hookline-test',
    maxConnections: 2,
    statementTimeoutMs: 20_000,
    log: silentLogger,
  });
  const attempts = () =>
    postgres
      .query<{ id: string }>('SELECT delivery_id AS id FROM attempts ORDER BY 1')
      .then((rows) => rows.map((row) => row.id));
  try {
    await postgres.query(
      `CREATE TABLE attempts_20260101 PARTITION OF attempts FOR VALUES FROM ('2026-01-01') TO ('2026-01-02')`,
    );
    await postgres.query(
      `INSERT INTO attempts (tenant, delivery_id, step, attempt, at, delivery_at, outcome, request)
       SELECT tenant, id, 1, 1, now(), at, 'delivered', json_build_object('headers', json_build_object('webhook-id', event_id))
         FROM (VALUES ('t', 'known', 'erased', '2026-01-01T01:00Z'::timestamptz), ('t', 'left', 'erased', '2026-01-01T02:00Z'),
                      ('t', 'left too', 'erased', '2026-06-01'), ('t', 'on its way', 'kept', '2026-01-01T03:00Z'),
                      ('other', 'of another', 'erased', '2026-01-01T04:00Z')) AS a (tenant, id, event_id, at)`,
    );
    await postgres.query(
      `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, created_at, updated_at)
       VALUES ('t', 'known', 'erased', 'ep_1', 0, now(), now())`,
    );
    await postgres.query(
      `INSERT INTO erased (tenant, id, erasure_id) VALUES ('t', 'erased', 'ers_1'), ('t', '', 'ers_2')`,
    );

    expect(await migrate({ url, directory: migrations, log: silentLogger })).toContain('0022_attempts_by_event');
    expect(await attempts()).toEqual(['known', 'of another', 'on its way']);
    expect(await removeEventData(postgres, 't', ['erased'])).toMatchObject({ attempts: 1 });
    expect(await attempts()).toEqual(['of another', 'on its way']);
    // As the projector makes its days.
    await postgres.query('CREATE TABLE attempts_20260102 (LIKE attempts INCLUDING ALL)');
    await postgres.query(
      `ALTER TABLE attempts ATTACH PARTITION attempts_20260102 FOR VALUES FROM ('2026-01-02') TO ('2026-01-03')`,
    );
    const indexed = await postgres.query(`SELECT FROM pg_inherits WHERE inhparent = 'attempts_by_event'::regclass`);
    expect(indexed).toHaveLength(3);
  } finally {
    await closePostgres(postgres);
  }
});
