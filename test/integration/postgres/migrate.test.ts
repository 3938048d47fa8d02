import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '#lib/log';
import { migrate } from '#lib/postgres';
import { createEmptyDatabase } from '../../support/servers.ts';
import { withDatabase } from '../../support/with-database.ts';

let url: string;
let directory: string;
beforeEach(async () => {
  url = await createEmptyDatabase();
  directory = await mkdtemp(join(tmpdir(), 'hookline-migrations-'));
});
afterEach(() => rm(directory, { recursive: true }));

const run = (): Promise<string[]> => migrate({ url, directory, log: silentLogger });
const write = (name: string, sql: string): Promise<void> => writeFile(join(directory, `${name}.sql`), sql);
const indexes = () =>
  withDatabase(url, (postgres) =>
    postgres.query<{ name: string; valid: boolean }>(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index WHERE indrelid = 'things'::regclass ORDER BY 1`,
    ),
  );

const things =
  '-- Up Migration\n\nCREATE TABLE things (n integer);\nINSERT INTO things VALUES (1), (1);\n\n-- Down Migration\n';
const unique = `-- Up Migration, outside a transaction

-- One at a time; this comment names CREATE INDEX too.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS things_n ON things (n)
 WHERE n IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS things_again ON things (n);

-- Down Migration

DROP INDEX things_n;
`;

test('a migration that fails leaves nothing of itself', async () => {
  await write(
    '0001_things',
    '-- Up Migration\n\nCREATE TABLE things (n integer);\nSELECT 1 / 0;\n\n-- Down Migration\n',
  );
  await expect(run()).rejects.toThrow('division by zero');
  await write('0001_things', things);
  expect(await run()).toEqual(['0001_things']);
});

test('an index that was not made to its end is made again', async () => {
  await write('0001_things', things);
  await write('0002_unique', unique);
  // Both rows have the same number: the index is left behind, invalid, as it is by a process that dies.
  await expect(run()).rejects.toThrow('could not create unique index');
  expect(await indexes()).toEqual([{ name: 'things_n', valid: false }]);

  await withDatabase(url, (postgres) => postgres.query('DELETE FROM things'));
  expect(await run()).toEqual(['0002_unique']);
  expect(await indexes()).toEqual([
    { name: 'things_again', valid: true },
    { name: 'things_n', valid: true },
  ]);
  expect(await run()).toEqual([]);
});
