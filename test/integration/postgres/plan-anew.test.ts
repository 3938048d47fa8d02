import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { createEmptyDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const openSession = (url: string): Postgres =>
  createPostgres({
    url,
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs: 20_000,
    sessionSettings: ['plan_cache_mode=force_generic_plan'],
    log: silentLogger,
  });

const find = 'SELECT n FROM numbers JOIN unnest($1::int[]) AS wanted (n) USING (n)';

test.each<[string, (postgres: Postgres) => Promise<unknown>]>([
  ['a statement', (postgres) => postgres.query('SELECT pg_sleep(0.12)')],
  ['a transaction', (postgres) => postgres.transaction((tx) => tx.query('SELECT pg_sleep(0.12)'))],
])('a plan from when a table was empty is kept until %s takes long', async (_what, takeLong) => {
  const url = await createEmptyDatabase();
  const [postgres, other] = [openSession(url), openSession(url)];
  await Promise.all([postgres.start(), other.start()]);
  const look = () => postgres.query(find, [[1, 2]], 'find');
  const plan = async (): Promise<string> => {
    const lines = await postgres.query<{ 'QUERY PLAN': string }>('EXPLAIN EXECUTE find(NULL)');
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  };
  try {
    await other.query('CREATE TABLE numbers (n integer PRIMARY KEY)');
    await other.query('VACUUM ANALYZE numbers');
    await look();
    expect(await plan()).toContain('Seq Scan on numbers');
    await other.query('INSERT INTO numbers SELECT generate_series(1, 10000)');
    await waitUntil('the session has planned anew', async () => {
      await takeLong(postgres);
      expect(await look()).toHaveLength(2);
      return (await plan()).includes('using numbers_pkey');
    });
  } finally {
    await Promise.all([postgres.stop(), other.stop()]);
  }
});
