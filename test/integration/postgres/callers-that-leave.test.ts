import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { seededRandom } from '../../support/seeded-random.ts';
import { createDatabase } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const applicationName = 'callers-that-leave';
const statementTimeoutMs = 20_000;
/** From the moment in which a caller leaves. */
const goneWithinMs = 200;

const callers = new AsyncLocalStorage<AbortSignal>();
let [postgres, another]: Postgres[] = [];

const open = async (maxConnections = 2): Promise<void> => {
  const options = { url: await createDatabase(), statementTimeoutMs, log: silentLogger };
  postgres = createPostgres({
    ...options,
    applicationName,
    maxConnections,
    signalOf: () => callers.getStore(),
    isPipelined: 'on-request',
  });
  another = createPostgres({ ...options, applicationName: 'another', maxConnections: 1 });
  await postgres.start();
  await another.start();
};
afterEach(async () => {
  await postgres?.stop();
  await another?.stop();
});

const pool = (): Postgres => postgres as Postgres;
/** Runs the work for a caller who leaves when the result's `leave` is called. */
function forCaller<T>(work: () => Promise<T>): { answered: Promise<T>; leave(): void } {
  const left = new AbortController();
  return { answered: callers.run(left.signal, work), leave: () => left.abort() };
}

async function statesOf(): Promise<{ pid: number; state: string; query: string }[]> {
  return (another as Postgres).query(
    `SELECT pid, state, query FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database() ORDER BY pid`,
    [applicationName],
  );
}
const isSleeping = async (): Promise<boolean> =>
  (await statesOf()).some(({ state, query }) => state === 'active' && query.includes('pg_sleep'));

test('a statement whose caller leaves is gone from the server at once, and its connection serves the next caller', async () => {
  await open();
  const { answered, leave } = forCaller(() => pool().query('SELECT pg_sleep(10)'));
  const ended = answered.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
  await waitUntil('it runs', isSleeping);
  const [{ pid } = { pid: 0 }] = await statesOf();
  leave();
  const leftAtMs = performance.now();
  expect(await ended).toBe('stopped');
  await waitUntil('it is gone', async () => !(await isSleeping()));
  expect(performance.now() - leftAtMs).toBeLessThan(goneWithinMs);
  expect(await pool().query('SELECT pg_backend_pid() AS pid')).toEqual([{ pid }]);
});

test('a transaction whose caller leaves rolls back, whatever its work makes of the error', async () => {
  await open();
  await pool().query('CREATE TABLE written (n int)');
  const { answered, leave } = forCaller(() =>
    pool().transaction(async (tx) => {
      await tx.query('INSERT INTO written VALUES (1)');
      // As work that takes results from before a statement failed.
      await tx.query('SELECT pg_sleep(10)').catch(() => undefined);
      return 'done';
    }),
  );
  await waitUntil('it runs', isSleeping);
  leave();
  await expect(answered).rejects.toMatchObject({ code: 'stopped' });
  expect(await pool().query('SELECT * FROM written')).toEqual([]);
});

test('a caller who has left before is asked nothing of, in a transaction or without', async () => {
  await open();
  await pool().query('CREATE TABLE written (n int)');
  const left = AbortSignal.abort();
  await expect(callers.run(left, () => pool().query('INSERT INTO written VALUES (1)'))).rejects.toMatchObject({
    code: 'stopped',
  });
  const ignoring = callers.run(left, () =>
    pool().transaction(async (tx) => void (await tx.query('INSERT INTO written VALUES (2)').catch(() => undefined))),
  );
  await expect(ignoring).rejects.toMatchObject({ code: 'stopped' });
  expect(await pool().query('SELECT * FROM written')).toEqual([]);
});

test('no cancel hits the next statement of its connection, whenever the caller leaves', async () => {
  await open(1);
  const random = seededRandom(52);
  const counts = { answered: 0, stopped: 0 };
  let tookMs = 10;
  // Until both ways have been taken often: how often each is depends on what else the machine does.
  for (let round = 0; round < 150 || Math.min(counts.answered, counts.stopped) <= 10; round += 1) {
    const beganAtMs = performance.now();
    const { answered, leave } = forCaller(() => pool().query('SELECT pg_sleep(0.003)'));
    const ended = answered.then(
      () => 'answered' as const,
      ({ code }: { code: 'stopped' }) => code,
    );
    // Around the moment in which the statement ends by itself, on a machine of any speed.
    await delay(1.5 * tookMs * random());
    leave();
    // It is sent as soon as the connection is free, and long enough for a late signal to meet it.
    const next = pool().query('SELECT pg_sleep(0.01), 1 AS n');
    const how = await ended;
    counts[how] += 1;
    tookMs = how === 'answered' ? tookMs / 2 + Math.min(50, performance.now() - beganAtMs) / 2 : tookMs * 1.1;
    await expect(next).resolves.toMatchObject([{ n: 1 }]);
  }
});

test('five hundred callers who leave leave the pool as it was', async () => {
  await open(5);
  const random = seededRandom(7);
  await Promise.all(
    Array.from({ length: 500 }, async () => {
      const { answered, leave } = forCaller(() => pool().query('SELECT pg_sleep(10)'));
      answered.catch(() => undefined);
      await delay(1_000 * random());
      leave();
      await expect(answered).rejects.toMatchObject({ code: 'stopped' });
    }),
  );
  const sessions = await Promise.all(
    Array.from({ length: 5 }, () => pool().query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.1)')),
  );
  expect(new Set(sessions.map(([row]) => row?.pid)).size).toBe(5);
  const states = await statesOf();
  expect(states).toHaveLength(5);
  expect(states.filter(({ query }) => query.includes('pg_sleep(10)'))).toEqual([]);
});
