/**
 * Migrations are SQL files with two sections. Each runs in one transaction, unless it begins with
 *
 *   -- Up Migration, outside a transaction
 *
 * Then its statements, each of which ends with a semicolon at the end of a line, run one by one, as CREATE INDEX CONCURRENTLY requires: nobody
 * who writes to a large table waits for its new index. Interrupted, such a migration runs again from its beginning, so each statement must be
 * one that can (IF NOT EXISTS). An index whose making was interrupted is there, but invalid: it is dropped first, and made again.
 */
import { readFile } from 'node:fs/promises';
import type { MigrationBuilder } from 'node-pg-migrate';

const sections = /^-- (Up|Down) Migration(, outside a transaction)?$/m;
const newIndex = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/;

export const loadMigrations = (paths: string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, 'utf8');
      return { id: path, filePaths: [path], actions: { up: actionOf(text, 'Up'), down: actionOf(text, 'Down') } };
    }),
  );

function actionOf(text: string, wanted: 'Up' | 'Down'): (pgm: MigrationBuilder) => Promise<void> {
  // The text before the first heading, then heading, mark and text of each section.
  const parts = text.split(sections);
  const at = parts.indexOf(wanted);
  const [mark, sql = ''] = at < 0 ? [] : parts.slice(at + 1);
  return async (pgm) => {
    if (mark === undefined) return pgm.sql(sql);
    pgm.noTransaction();
    const statements = sql.split(/;[ \t]*$/m).map(withoutComments);
    for (const statement of statements.filter((each) => each !== '')) {
      const [, index] = newIndex.exec(statement) ?? [];
      if (index !== undefined) await dropIfInvalid(pgm, index);
      pgm.sql(statement);
    }
  };
}

/** Statements run after all of these: they may take hours, and none of them makes another's index invalid. */
async function dropIfInvalid({ db }: MigrationBuilder, index: string): Promise<void> {
  const found = await db.select('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [index]);
  if (found.length > 0) await db.query(`DROP INDEX CONCURRENTLY ${index}`);
}

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*$/gm, '').trim();
