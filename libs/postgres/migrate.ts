import { runner } from 'node-pg-migrate';
import type { Logger } from '#lib/log';
import { fromPostgresError } from './errors.ts';
import { loadMigrations } from './migration-loader.ts';

/**
 * Brings the database to the newest migration of `directory` (SQL files, run once each, in order of their names). Safe to run from
 * several processes at once: an advisory lock lets one go first.
 *
 * @returns the names of the migrations that were run now
 */
export async function migrate(options: { url: string; directory: string; log: Logger }): Promise<string[]> {
  try {
    const done = await runner({
      databaseUrl: options.url,
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
  }
}
