import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#lib/errors';
import { silentLogger } from '#lib/log';
import { createPostgres, type Postgres } from '#lib/postgres';

/** The time in which a process that waits for a core is connected, however busy the machine. A service gives up after seconds. */
const patienceMs = 60_000;
const betweenTriesMs = 200;

/** Does work on one connection, whose locks end with it. @throws AppError store_unavailable if there is none within a minute */
export async function onConnection<T>(url: string, work: (connection: Postgres) => Promise<T>): Promise<T> {
  const postgres = createPostgres({
    url,
    applicationName: 'hookline-tests',
    maxConnections: 1,
    statementTimeoutMs: patienceMs,
    log: silentLogger,
  });
  await postgres.start();
  try {
    await connected(postgres);
    return await work(postgres);
  } finally {
    await postgres.stop();
  }
}

/** The statements one after the other, each in a transaction of its own. */
export const askPostgres = (url: string, ...statements: readonly string[]): Promise<void> =>
  onConnection(url, async (connection) => {
    for (const each of statements) await connection.query(each);
  });

async function connected(postgres: Postgres): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    try {
      await postgres.query('SELECT');
      return;
    } catch (error) {
      const isAway = error instanceof AppError && error.code === 'store_unavailable';
      if (!isAway || performance.now() >= deadlineMs) throw error;
    }
    await delay(betweenTriesMs);
  }
}
