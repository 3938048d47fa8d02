/** Checks what a followed table misses, reads twice and reads at once, on a real server. */
import {
  createPostgres,
  followTable,
  type FollowedRow,
  type FollowedTable,
  type Postgres,
  type Query,
} from '#lib/postgres';
import { silentLogger, systemClock } from '#lib/runtime';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface SourceRow extends FollowedRow {
  name: string;
}

let postgres: Postgres;
let follower: Postgres;
const following: FollowedTable[] = [];
beforeEach(async () => {
  const url = await createDatabase();
  const common = { url, applicationName: 'hookline-test', statementTimeoutMs: 30_000, log: silentLogger };
  postgres = createPostgres({ ...common, maxConnections: 3 });
  follower = createPostgres({ ...common, maxConnections: 1 });
  await postgres.start();
  await follower.start();
});
afterEach(async () => {
  for (const table of following.splice(0)) await table.stop();
  await follower.stop();
  await postgres.stop();
});

/** Follows the sources; records each notification, and the number of rows of each statement. */
async function follow(around: (query: Query['query']) => Query['query'] = (query) => query) {
  const names = new Map<string, string>();
  const known = new Map<string, string>();
  const rowsRead: number[] = [];
  const pages: number[] = [];
  const counted: Query['query'] = async <T extends object>(...statement: Parameters<Query['query']>) => {
    const rows = await follower.query<T>(...statement);
    rowsRead.push(rows.length);
    if (rows.some((row) => 'name' in row)) pages.push(rows.length);
    return rows;
  };
  const given = {
    postgres: { query: around(counted) },
    clock: systemClock,
    log: silentLogger,
    knownChangedAt: ({ id }: { id: string }) => known.get(id),
    takeRows: (rows: SourceRow[]) => take(rows),
  };
  const take = (rows: SourceRow[]): void => {
    for (const { id, name, changed_at, buried } of rows) {
      known.set(id, changed_at);
      if (buried) names.delete(id);
      else names.set(id, name);
    }
  };
  const table = followTable<SourceRow>({
    ...given,
    table: 'sources',
    columns: 'tenant, id, name, changed_at, buried',
    bytes: 'bytes',
  });
  following.push(table);
  await table.start();
  return { table, names, rowsRead, pages };
}

const insert = `INSERT INTO sources (tenant, id, name, scheme, secrets) VALUES ('acme', $1, $1, 'hookline', '')`;
const insertMany = `INSERT INTO sources (tenant, id, name, scheme, secrets, settings)
  SELECT 'acme', 'src_' || n, 'many', 'hookline', '', jsonb_build_object('filling', repeat('x', $2::int)) FROM generate_series(1, $1::int) n`;

test('a transaction that commits long after others is not passed over', async () => {
  const { table, names } = await follow();
  await postgres.transaction(async (tx) => {
    await tx.query(`INSERT INTO sources (tenant, id, name, scheme, secrets) VALUES ('other', $1, $1, 'hookline', '')`, [
      'late',
    ]);
    // Forty seconds later, as it were: another has changed, and was read.
    await postgres.query(
      `INSERT INTO sources (tenant, id, name, scheme, secrets, changed_at)
       VALUES ('acme', 'early', 'early', 'hookline', '', clock_timestamp() + interval '40 seconds')`,
    );
    await table.refresh();
    expect([...names.keys()]).toEqual(['early']);
  });
  await table.refresh();
  expect([...names.keys()].sort()).toEqual(['early', 'late']);
});

test('a change after the database’s clock was set back by an hour is not missed', async () => {
  const { table, names } = await follow();
  await postgres.query(insert, ['before']);
  await postgres.query(`UPDATE sources SET changed_at = clock_timestamp() + interval '1 hour'`);
  await table.refresh();
  await postgres.query(insert, ['after']);
  await postgres.query(`UPDATE sources SET name = 'changed', changed_at = clock_timestamp() WHERE id = 'before'`);
  await table.refresh();
  expect(Object.fromEntries(names)).toEqual({ before: 'changed', after: 'after' });
});

test('after twenty thousand quick creations a reading gives what has changed since, and no more', async () => {
  const { table, names, rowsRead } = await follow();
  await postgres.query(insertMany, [20_000, 10]);
  await table.refresh();
  expect(names.size).toBe(20_000);
  rowsRead.length = 0;
  await table.refresh();
  expect(rowsRead).toEqual([1]);
  // However long another transaction stays open, which keeps the horizon where it is.
  await postgres.transaction(async (tx) => {
    await tx.query('SELECT pg_current_xact_id()');
    await postgres.query(`UPDATE sources SET name = 'again' WHERE id <= 'src_12'`);
    await table.refresh();
    rowsRead.length = 0;
    await table.refresh();
    expect(rowsRead).toEqual([1]);
  });
});

test('the first load and the changes come in pages that are bounded in rows and bytes, and a page that fails is read again', async () => {
  await postgres.query(insertMany, [3_000, 10]);
  await postgres.query(
    `UPDATE sources SET settings = jsonb_build_object('x', repeat('x', 1000000)) WHERE id LIKE 'src_1__'`,
  );
  let failures = 5;
  const failing =
    (query: Query['query']): Query['query'] =>
    (...statement) => {
      if (failures > 0 && statement[1]?.length === 2) {
        failures -= 1;
        return follower.query('SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(1)');
      }
      return query(...statement);
    };
  const { table, names, pages } = await follow(failing);
  expect(names.size).toBe(3_000);
  // Pages of four million bytes each, with rows of one million.
  expect(Math.max(...pages)).toBeLessThanOrEqual(1_000);
  expect(pages.length).toBeGreaterThan(100 / 5);
  pages.length = 0;
  await postgres.query(`UPDATE sources SET name = 'large' WHERE id LIKE 'src_1__'`);
  await table.refresh();
  expect([...names.values()].filter((name) => name === 'large')).toHaveLength(100);
  expect(Math.max(...pages)).toBeLessThanOrEqual(5);
});

test('no change is passed over, however many change and commit in whatever order while it is read', async () => {
  const { table, names } = await follow();
  await postgres.query(insertMany, [200, 10]);
  let isOver = false;
  const writers = [1, 2].map(async (writer) => {
    for (let round = 0; round < 150; round += 1)
      await postgres.transaction(async (tx) => {
        await tx.query('SELECT pg_current_xact_id()');
        if (writer === 1) await tx.query('SELECT pg_sleep(0.01)');
        await tx.query(`UPDATE sources SET name = $1 WHERE id = $2`, [`${writer}/${round}`, `src_${1 + (round % 20)}`]);
      });
  });
  const reader = (async () => {
    while (!isOver) await table.refresh();
  })();
  await Promise.all(writers);
  await table.refresh();
  isOver = true;
  await reader;
  const rows = await postgres.query<{ id: string; name: string }>('SELECT id, name FROM sources');
  expect(Object.fromEntries(names)).toEqual(Object.fromEntries(rows.map(({ id, name }) => [id, name])));
});

test('rows that were restored from a server of more transactions are read once, and again when they change', async () => {
  await postgres.query(insertMany, [1_000, 10]);
  await postgres.query('ALTER TABLE sources DISABLE TRIGGER USER');
  await postgres.query(`UPDATE sources SET changed_in = '900000000000'`);
  await postgres.query('ALTER TABLE sources ENABLE TRIGGER USER');
  const { table, names, rowsRead } = await follow();
  expect(names.size).toBe(1_000);
  rowsRead.length = 0;
  await table.refresh();
  expect(rowsRead).toEqual([1]);
  await postgres.query(`UPDATE sources SET name = 'changed' WHERE id = 'src_7'`);
  await table.refresh();
  expect(names.get('src_7')).toBe('changed');
});

test('another server’s rows are read whole, and hold even where they are older', async () => {
  let server = 'one';
  const { table, names } = await follow(
    (query) =>
      async <T extends object>(...statement: Parameters<Query['query']>) =>
        (await query(...statement)).map((row) => ('server' in row ? { ...row, server } : row) as T),
  );
  await postgres.query(insert, ['a']);
  await table.refresh();
  // The standby that took over had not heard of the last change.
  await postgres.query('ALTER TABLE sources DISABLE TRIGGER USER');
  await postgres.query(`UPDATE sources SET name = 'older', changed_at = '2020-01-01Z', changed_in = '3'`);
  await table.refresh();
  expect(names.get('a')).toBe('a');
  server = 'two';
  await table.refresh();
  expect(names.get('a')).toBe('older');
});

test('after a connection was lost it looks at the last transactions again', async () => {
  const { table, names } = await follow();
  await postgres.query(insert, ['a']);
  await table.refresh();
  // Under the number of one that was seen to have ended, as after a crash that lost a rollback.
  await postgres.query('ALTER TABLE sources DISABLE TRIGGER USER');
  await postgres.query(
    `UPDATE sources SET name = 'reused', changed_at = clock_timestamp(), changed_in = changed_in::text::bigint::text::xid8`,
  );
  await table.refresh();
  expect(names.get('a')).toBe('a');
  await postgres.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await waitUntil('it has a connection again', () =>
    table
      .refresh()
      .then(() => true)
      .catch(() => false),
  );
  expect(names.get('a')).toBe('reused');
});
