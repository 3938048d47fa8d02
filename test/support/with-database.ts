import { createPostgres, type Postgres, type Query } from '#lib/postgres';
import { AppError, silentLogger } from '#lib/runtime';
import { waitUntil } from './wait-until.ts';

const anHourMs = 3_600_000;

/**
 * Does work on a connection of its own, whose locks end with it: tables are filled with it, and read as a whole.
 *
 * @throws Error if there is no connection within three minutes
 */
export async function withDatabase<T>(
  url: string,
  work: (postgres: Postgres) => Promise<T>,
  statementTimeoutMs = anHourMs,
): Promise<T> {
  const postgres = createPostgres({
    url,
    applicationName: 'hookline-test',
    maxConnections: 1,
    statementTimeoutMs,
    log: silentLogger,
  });
  await postgres.start();
  try {
    await connect(postgres);
    return await work(postgres);
  } finally {
    await postgres.stop();
  }
}

/** The statements one after the other, each in a transaction of its own. */
export const askPostgres = (url: string, ...statements: readonly string[]): Promise<void> =>
  withDatabase(url, async (postgres) => {
    for (const each of statements) await postgres.query(each);
  });

const connect = (postgres: Query): Promise<true> =>
  waitUntil(
    'Postgres takes a connection',
    () =>
      postgres.query('SELECT').then(
        () => true as const,
        (error: unknown) => {
          if (error instanceof AppError && error.code === 'store_unavailable') return false;
          throw error;
        },
      ),
    { everyMs: 200 },
  );
