import { runner } from 'node-pg-migrate';
import { AppError, type Logger } from '#lib/runtime';
import { clientOf, type PostgresAccess } from './access.ts';
import { fromPostgresError } from './errors.ts';
import { loadMigrations } from './migration-loader.ts';
import { createSessionVetting } from './vet-sessions.ts';

/**
 * Brings the database to the newest migration of `directory` (SQL files, run once each, in order of their names). Safe to run from
 * several processes at once: an advisory lock lets one go first.
 *
 * @returns the names of the migrations that were run now
 * @throws AppError config_invalid, store_unavailable, bug
 */
export async function migrate(options: PostgresAccess & { directory: string; log: Logger }): Promise<string[]> {
  const applicationName = 'hookline-setup';
  const client = new (clientOf(options))({ application_name: applicationName, connectionTimeoutMillis: 10_000 });
  // Without a listener, its end would end the process; the next statement fails.
  client.on('error', () => undefined);
  try {
    const problem = await createSessionVetting(options, applicationName).vet();
    if (problem !== undefined) throw new AppError('config_invalid', problem);
    await client.connect();
    const done = await runner({
      dbClient: client,
      dir: options.directory,
      direction: 'up',
      migrationsTable: 'migrations',
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
      checkOrder: true,
      log: (line) => options.log.debug({ event: 'migration.log', line }),
    });
    return done.map((migration) => migration.name);
  } catch (error) {
    throw fromPostgresError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
