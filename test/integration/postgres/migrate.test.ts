import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
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

test('an index of a partitioned table is made of each partition, where those who write wait for none of them', async () => {
  await write(
    '0001_parted',
    `-- Up Migration

CREATE TABLE parted (day integer, n integer) PARTITION BY LIST (day);
CREATE TABLE parted_default PARTITION OF parted DEFAULT;
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
INSERT INTO parted VALUES (1, 1), (1, 1), (2, 2);

-- Down Migration
`,
  );
  const indexing = (kind: string) => `-- Up Migration, outside a transaction

CREATE ${kind} CONCURRENTLY IF NOT EXISTS parted_by_n ON parted (day, n) WHERE n IS NOT NULL;

-- Down Migration
`;
  const made = () =>
    withDatabase(url, (postgres) =>
      postgres.query<{ name: string; valid: boolean }>(
        `SELECT indexrelid::regclass::text AS name, indisvalid AS valid FROM pg_index
          WHERE indrelid IN (SELECT relid FROM pg_partition_tree('parted')) ORDER BY 1`,
      ),
    );
  await write('0002_index', indexing('UNIQUE INDEX'));
  await expect(run()).rejects.toThrow('could not create unique index');
  expect(await made()).toEqual([{ name: 'parted_by_n_1', valid: false }]);

  await write('0002_index', indexing('INDEX'));
  expect(await run()).toEqual(['0002_index']);
  expect(await made()).toEqual([
    { name: 'parted_by_n', valid: true },
    { name: 'parted_by_n_1', valid: true },
    { name: 'parted_by_n_default', valid: true },
  ]);
  const parents = await withDatabase(url, (postgres) =>
    postgres.query(`SELECT FROM pg_inherits WHERE inhparent = 'parted_by_n'::regclass`),
  );
  expect(parents).toHaveLength(2);
});
