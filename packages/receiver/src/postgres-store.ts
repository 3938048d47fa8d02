import { durationsOf, type OnceOptions, type OnceStore } from './accept-once.ts';

/** A `Pool` or `Client` of `pg`, or anything else with its `query`. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface PostgresStoreOptions extends OnceOptions {
  /** Perhaps with its schema: `app.webhooks`. Receivers that each handle a webhook need one each. Default: `hookline_received`. */
  table?: string | undefined;
}

export interface PostgresStore extends OnceStore {
  /** Creates the table if it is not there. For a migration of your own: `tableDefinition`. */
  createTable(): Promise<void>;
  readonly tableDefinition: string;
}

/** Each webhook removes a few of those that are forgotten, so that nothing has to be scheduled. */
const removedAtOnce = 10;

/** Ids as rows, as durable as the database: one statement before the handler, one after it. Times are those of the database. */
export function postgresStore(client: PostgresClient, options: PostgresStoreOptions = {}): PostgresStore {
  const { leaseMs, rememberMs } = durationsOf(options);
  const { table = 'hookline_received' } = options;
  if (!/^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*$/.test(table)) throw new TypeError(`invalid name of a table: ${table}`);
  const { tableDefinition, claim, look, complete, release } = statements(table);
  return {
    leaseMs,
    tableDefinition,
    async createTable() {
      await client.query(tableDefinition);
    },
    async claim(id, token) {
      const claimed = await client.query(claim, [id, token, leaseMs]);
      if (claimed.rows.length > 0) return { state: 'claimed' };
      const { rows } = await client.query(look, [id]);
      const [row] = rows as { done: boolean; remaining: number }[];
      if (row?.done === true) return { state: 'done' };
      // Released or expired in between: the sender's next attempt finds it free.
      return { state: 'leased', remainingMs: Math.max(1, Number(row?.remaining ?? 1)) };
    },
    async complete(id) {
      await client.query(complete, [id, rememberMs]);
    },
    async release(id, token) {
      await client.query(release, [id, token]);
    },
  };
}

/** `token` is null once it is done; `expires_at` is the end of the lease, or when the id is forgotten. */
function statements(table: string) {
  const index = `${table.replace('.', '_')}_expires_at`;
  const inMs = (parameter: string) => `clock_timestamp() + ${parameter}::bigint * interval '1 millisecond'`;
  return {
    tableDefinition: `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, token text, expires_at timestamptz NOT NULL);
CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at);`,
    claim: `INSERT INTO ${table} AS found (id, token, expires_at) VALUES ($1, $2, ${inMs('$3')})
ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
WHERE found.expires_at <= clock_timestamp() OR found.token = excluded.token
RETURNING id`,
    look: `SELECT token IS NULL AS done, ceil(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS remaining
FROM ${table} WHERE id = $1`,
    complete: `WITH removed AS (
  DELETE FROM ${table} WHERE id IN (
    SELECT id FROM ${table} WHERE expires_at <= clock_timestamp() AND id <> $1
    ORDER BY expires_at LIMIT ${removedAtOnce} FOR UPDATE SKIP LOCKED
  )
)
INSERT INTO ${table} (id, token, expires_at) VALUES ($1, NULL, ${inMs('$2')})
ON CONFLICT (id) DO UPDATE SET token = NULL, expires_at = excluded.expires_at`,
    release: `DELETE FROM ${table} WHERE id = $1 AND token = $2`,
  };
}
