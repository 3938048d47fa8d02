import { columnsOf, tenantTableNames, tenantTables } from '#lib/erasure';
import type { Postgres } from '#lib/postgres';
import { closePostgres, openDatabase } from '../projector/projection.ts';

/** Tables that belong to no tenant. */
const others = ['migrations', 'processes', 'stats_since'];

let postgres: Postgres;
beforeAll(async () => {
  postgres = await openDatabase();
});
afterAll(() => closePostgres(postgres));

/** Every table of a migrated database, with its columns; of a partitioned one not its partitions. */
async function catalog(): Promise<Record<string, string[]>> {
  const rows = await postgres.query<{ table: string; columns: string[] }>(
    `SELECT c.table_name::text AS "table", array_agg(c.column_name::text ORDER BY c.column_name::text) AS columns
       FROM information_schema.columns c
       JOIN pg_class p ON p.relname = c.table_name AND p.relnamespace = current_schema()::regnamespace
      WHERE c.table_schema = current_schema() AND p.relkind IN ('r', 'p') AND NOT p.relispartition
      GROUP BY c.table_name`,
  );
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}

test('the list of tables and columns of tenants, which erasing goes by, has every one of the database', async () => {
  const listed = tenantTableNames.map((table) => [table, columnsOf(tenantTables[table]).sort()] as const);
  const found = Object.entries(await catalog()).filter(([table]) => !others.includes(table));
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(found));
});

test('every table of the list has the tenant first in its key, so that its rows are found in pages', async () => {
  const rows = await postgres.query<{ table: string; first: string }>(
    `SELECT i.indrelid::regclass::text AS "table", a.attname AS first
       FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indisprimary AND i.indrelid = ANY ($1::regclass[])`,
    [tenantTableNames],
  );
  expect(Object.fromEntries(rows.map(({ table, first }) => [table, first]))).toEqual(
    Object.fromEntries(tenantTableNames.map((table) => [table, 'tenant'])),
  );
});
