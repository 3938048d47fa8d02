/** The run's questions to the database, beside what the services say. */
import { silentLogger } from '#lib/log';
import { createPostgres } from '#lib/postgres';

export interface Tables {
  /** Rows of what requests make, in these tenants, by table. */
  countMade(tenants: readonly string[]): Promise<Record<string, number>>;
  query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const made = ['sources', 'endpoints', 'api_keys', 'events', 'replays'];

export async function openTables(databaseUrl: string): Promise<Tables> {
  const postgres = createPostgres({
    url: databaseUrl,
    applicationName: 'fuzzing',
    maxConnections: 2,
    statementTimeoutMs: 30_000,
    log: silentLogger,
  });
  await postgres.start();
  return {
    query: (text, values) => postgres.query(text, values),
    async countMade(tenants) {
      const counts = made.map((table) => `(SELECT count(*) FROM ${table} WHERE tenant = ANY ($1))::int AS ${table}`);
      const [row] = await postgres.query<Record<string, number>>(`SELECT ${counts.join(', ')}`, [tenants]);
      return row ?? {};
    },
    close: () => postgres.stop(),
  };
}
