/** A transaction whose statements are sent without waiting for one another's answers. */
import { Socket } from 'node:net';
import { createPostgres, type Postgres, type Query } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

let postgres: Postgres;
let one: Postgres;
let onRequest: Postgres;
beforeAll(async () => {
  const url = await createDatabase();
  const open = (more: { isPipelined?: boolean | 'on-request'; statementTimeoutMs?: number }) =>
    createPostgres({
      url,
      applicationName: 'pipelined',
      maxConnections: 2,
      statementTimeoutMs: 5_000,
      log: silentLogger,
      ...more,
    });
  [postgres, one, onRequest] = [open({ isPipelined: true }), open({}), open({ isPipelined: 'on-request' })];
  await onRequest.start();
  await one.start();
  await postgres.start();
  await one.query('CREATE TABLE numbers (n integer PRIMARY KEY)');
});
afterAll(async () => {
  await postgres.stop();
  await onRequest.stop();
  await one.stop();
});
beforeEach(() => one.query('TRUNCATE numbers'));

const insert = 'INSERT INTO numbers VALUES ($1)';
const numbers = async (): Promise<number[]> =>
  (await one.query<{ n: number }>('SELECT n FROM numbers ORDER BY n')).map(({ n }) => n);

test('statements that are sent together are answered in order, and committed', async () => {
  const counts = await postgres.transaction((tx) =>
    Promise.all(
      [1, 2, 3].map(async (n) => {
        void tx.query(insert, [n], 'insert-number');
        return tx.query<{ count: number }>('SELECT count(*)::int AS count FROM numbers', [], 'count-numbers');
      }),
    ),
  );
  expect(counts).toEqual([1, 2, 3].map((count) => [{ count }]));
  expect(await numbers()).toEqual([1, 2, 3]);
});

test('what is sent in one turn goes in one packet, in every turn of a transaction', async () => {
  const writes = [jest.spyOn(Socket.prototype, '_write'), jest.spyOn(Socket.prototype, '_writev')];
  const packets = (): number => writes.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const packetsOf: number[] = [];
  const three = async (tx: Query): Promise<void> => {
    const before = packets();
    await Promise.all([1, 2, 3].map((n) => tx.query('SELECT $1::int', [n], 'one-number')));
    packetsOf.push(packets() - before);
  };
  await postgres.transaction(async (tx) => {
    // With BEGIN, which was sent in the same turn.
    await three(tx);
    await three(tx);
  });
  for (const spy of writes) spy.mockRestore();
  expect(packetsOf).toEqual([1, 1]);
});

test('one that fails leaves nothing of those before and behind it, and is the one that is told of', async () => {
  await one.query(insert, [2]);
  const failing = postgres.transaction((tx) => Promise.all([1, 2, 3].map((n) => tx.query(insert, [n]))));
  await expect(failing).rejects.toMatchObject({ code: 'data_invalid' });
  expect(await numbers()).toEqual([2]);
  await postgres.transaction((tx) => tx.query(insert, [4], 'insert-number'));
  expect(await numbers()).toEqual([2, 4]);
});

test.each([true, false])('so does one that nobody has waited for (pipelined: %s)', async (isPipelined) => {
  await one.query(insert, [2]);
  const failing = (isPipelined ? postgres : one).transaction(async (tx) => void tx.query(insert, [2]));
  await expect(failing).rejects.toMatchObject({ code: 'data_invalid' });
});

test.each([true, false])('a pool may pipeline the transactions that ask for it (asked: %s)', async (isPipelined) => {
  const numbersRead = await onRequest.transaction(
    (tx) => Promise.all([1, 2].map((n) => tx.query<{ n: number }>('SELECT $1::int AS n', [n]))),
    { isPipelined },
  );
  expect(numbersRead).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  // Nothing of it stays with the connection: the next transaction rolls back what fails, and goes on from a savepoint.
  await onRequest.transaction(async (tx) => {
    await tx.query('SAVEPOINT before');
    await expect(tx.query('SELECT 1 / 0')).rejects.toMatchObject({ code: 'data_invalid' });
    await tx.query('ROLLBACK TO SAVEPOINT before');
    await tx.query(insert, [7]);
  });
  expect(await numbers()).toEqual([7]);
});

test('one that was sent behind a wait for a lock sees what the lock’s holder has written', async () => {
  await one.query(insert, [0]);
  let waited: Promise<{ count: number }[]> | undefined;
  await one.transaction(async (holder) => {
    await holder.query('SELECT FROM numbers WHERE n = 0 FOR UPDATE');
    waited = postgres.transaction(async (tx) => {
      void tx.query('SELECT FROM numbers WHERE n = 0 FOR UPDATE');
      return tx.query<{ count: number }>('SELECT count(*)::int AS count FROM numbers');
    });
    const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'pipelined' AND wait_event_type = 'Lock'`;
    await waitUntil('it waits', async () => (await holder.query(waiting)).length > 0);
    await holder.query(insert, [1]);
  });
  expect(await waited).toEqual([{ count: 2 }]);
});
