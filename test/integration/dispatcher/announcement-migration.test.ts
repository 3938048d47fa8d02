import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#deploy/local/paths.ts';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { createDatabase } from '../../support/servers.ts';

const file = join(root, 'deploy/postgres/migrations/0016_announcements.sql');
const [up = '', down = ''] = readFileSync(file, 'utf8').split('-- Down Migration');

let postgres: Postgres;
beforeAll(async () => {
  postgres = createPostgres({
    url: await createDatabase(),
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
});
afterAll(() => postgres?.stop());

test('what the version before has not announced yet is announced, and given back to it by the way down', async () => {
  await postgres.query(down);
  await postgres.query(
    `INSERT INTO disablings (tenant, endpoint_id, disabled_at, revision, url, reason, failing_since)
     VALUES ('acme', 'ep_1', '2026-01-02T03:04:05.000006Z', 7, 'https://receiver.test/', 'failing', '2026-01-01T00:00:00Z'),
            ('acme', 'ep_2', '2026-01-02T03:04:05Z', 1, 'https://receiver.test/', 'gone', NULL)`,
  );
  const disablings = () => postgres.query('SELECT * FROM disablings ORDER BY endpoint_id');
  const before = await disablings();
  await postgres.query(up);
  expect(await disablings()).toEqual([]);
  expect(
    await postgres.query('SELECT type, subject, episode, facts, due_at FROM announcements ORDER BY subject'),
  ).toEqual([
    {
      type: 'hookline.endpoint.disabled',
      subject: 'ep_1',
      episode: '7/2026-01-02T03:04:05.000006Z',
      facts: {
        url: 'https://receiver.test/',
        reason: 'failing',
        failing_since: '2026-01-01T00:00:00.000000Z',
        disabled_at: '2026-01-02T03:04:05.000006Z',
      },
      due_at: '2026-01-02T03:04:10.000006Z',
    },
    {
      type: 'hookline.endpoint.disabled',
      subject: 'ep_2',
      episode: '1/2026-01-02T03:04:05.000000Z',
      facts: { url: 'https://receiver.test/', reason: 'gone', disabled_at: '2026-01-02T03:04:05.000000Z' },
      due_at: '2026-01-02T03:04:10.000000Z',
    },
  ]);
  await postgres.query(down);
  expect(await disablings()).toEqual(before);
  await postgres.query(up);
});
