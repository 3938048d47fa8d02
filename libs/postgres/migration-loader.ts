/**
 * Migrations are SQL files with two sections. Each runs in one transaction, unless it begins with
 *
 *   -- Up Migration, outside a transaction
 *
 * Then its statements, each of which ends with a semicolon at the end of a line, run one by one, as CREATE INDEX CONCURRENTLY requires: nobody
 * who writes to a large table waits for its new index. Interrupted, such a migration runs again from its beginning, so each statement must be
 * one that can (IF NOT EXISTS). An index whose making was interrupted is there, but invalid: it is dropped first, and made again.
 *
 * Postgres has no CREATE INDEX CONCURRENTLY for a partitioned table. Here it makes the index of each partition so, by name and suffix, and at
 * last the table's, which takes those for its own and keeps writers out for no longer than that.
 */
import { readFile } from 'node:fs/promises';
import type { MigrationBuilder } from 'node-pg-migrate';

const sections = /^-- (Up|Down) Migration(, outside a transaction)?$/m;
const newIndex = /^(CREATE (?:UNIQUE )?INDEX )(CONCURRENTLY )(IF NOT EXISTS )(\w+)(\s+ON )(\w+)/;

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
    for (const statement of statements.filter((each) => each !== ''))
      for (const each of await perPartition(pgm, statement)) {
        const [, , , , index] = newIndex.exec(each) ?? [];
        if (index !== undefined) await dropIfInvalid(pgm, index);
        pgm.sql(each);
      }
  };
}

/** The statements for one; only an index of a partitioned table takes several. */
async function perPartition({ db }: MigrationBuilder, statement: string): Promise<string[]> {
  const [, , , , index, , table] = newIndex.exec(statement) ?? [];
  if (index === undefined || table === undefined) return [statement];
  const partitions = (await db.select(
    `SELECT p.relname::text AS name
       FROM pg_inherits i JOIN pg_class t ON t.oid = i.inhparent JOIN pg_class p ON p.oid = i.inhrelid
      WHERE t.oid = to_regclass($1) AND t.relkind = 'p'
      ORDER BY 1`,
    [table],
  )) as { name: string }[];
  if (partitions.length === 0) return [statement];
  const of = (partition: string): string =>
    statement.replace(newIndex, `$1$2$3${index}_${partition.replace(`${table}_`, '')}$5${partition}`);
  // A partition that is made meanwhile is small, and gets its index from the last one.
  return [...partitions.map(({ name }) => of(name)), statement.replace(newIndex, '$1$3$4$5$6')];
}

/** Statements run after all of these: they may take hours, and none of them makes another's index invalid. */
async function dropIfInvalid({ db }: MigrationBuilder, index: string): Promise<void> {
  const found = await db.select('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [index]);
  if (found.length > 0) await db.query(`DROP INDEX CONCURRENTLY ${index}`);
}

const withoutComments = (sql: string): string => sql.replace(/^\s*--.*$/gm, '').trim();
