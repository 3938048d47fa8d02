import { silentLogger } from '#lib/log';
import { createPostgres, type Query } from '#lib/postgres';

const anHourMs = 3_600_000;

/** A connection of its own, for what takes long: tables are filled with it, and read as a whole. */
export async function withDatabase<T>(
  url: string,
  work: (postgres: Query) => Promise<T>,
  statementTimeoutMs = anHourMs,
): Promise<T> {
  const postgres = createPostgres({
    ...{ url, applicationName: 'hookline-test', maxConnections: 1, statementTimeoutMs },
    log: silentLogger,
  });
  await postgres.start();
  try {
    return await work(postgres);
  } finally {
    await postgres.stop();
  }
}
