import { setTimeout as delay } from 'node:timers/promises';
import { withDatabase } from '../../support/with-database.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createWorld, type TestEndpoint, type World } from './world.ts';

/** A retry is due after one second. One that waits for the lock comes when a statement has ended by its limit of ten seconds: the lock is held until all have come. */
const latestMs = 6_000;
const retry = { schedule: Array<number>(20).fill(1), jitter: 0 };
const locks = ['waiting', 'deliveries', 'stats'].map(
  (table) => `SELECT FROM ${table} WHERE tenant = 'locked' FOR UPDATE`,
);

let world: World;
beforeEach(async () => {
  world = await createWorld('locked-tenant');
  await world.startProjector();
});
afterEach(async () => {
  await world?.stop();
  expect(world?.failures).toEqual([]);
});

test('retries of a tenant arrive on time while rows of another one in `waiting`, `deliveries` and `stats` are locked', async () => {
  const locked = [
    await world.addEndpoint('locked', { retry }, { tenant: 'locked' }),
    await world.addEndpoint('locked, ordered', { retry, ordered: true }, { tenant: 'locked' }),
  ];
  // An endpoint for each: one that fails every other time would have its circuit breaker opened.
  const free = await Promise.all(
    Array.from({ length: 8 }, (_, n) => world.addEndpoint(`free ${n}`, { retry }, { tenant: 'free' })),
  );
  let isBack = false;
  world.receiver.react(({ name, attempt }) => ({
    status: name.startsWith('locked') ? (isBack ? 200 : 500) : attempt === 1 ? 500 : 200,
  }));
  await world.startDispatcher();
  const publish = (count: number, tenant: string) =>
    world.publish(count, undefined, 'src_1', (index) => (tenant === 'locked' ? `key ${index}` : null), tenant);
  await publish(2, 'locked');
  await publish(1, 'free');
  await waitUntil('both tenants are retried', () => retriedOf(free).length === 8 && retriedOf(locked).length > 0);

  await whileLocked(async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await publish(1, 'locked');
      await publish(1, 'free');
      await delay(700);
    }
    await waitUntil('those of the other tenant are retried', () => retriedOf(free).length === 5 * 8);
    await waitUntil('and are shown as delivered', async () => {
      const rows = await world.deliveries();
      return rows.filter(({ status }) => status === 'delivered').length === 5 * 8;
    });
  });
  expect(Math.max(...retriedOf(free))).toBeLessThan(latestMs);
  isBack = true;
  const ended = await world.ended(5 * 8 + 6 * locked.length);
  expect(ended.filter(({ status }) => status !== 'delivered')).toEqual([]);
});

/** The session is never idle: one that is, within a transaction, is ended after five seconds. */
const whileLocked = (work: () => Promise<void>): Promise<void> =>
  withDatabase(world.databaseUrl, (postgres) =>
    postgres.transaction(async (tx) => {
      for (const lock of locks) await tx.query(lock);
      let isOver = false;
      const working = work().finally(() => (isOver = true));
      while (!isOver) await tx.query('SELECT pg_sleep(0.2)');
      await working;
    }),
  );

/** How long after its first attempt each second one came. */
const retriedOf = (endpoints: readonly TestEndpoint[]): number[] =>
  endpoints.flatMap((endpoint) => {
    const arrivals = world.arrivalsOf(endpoint);
    return arrivals
      .filter(({ attempt }) => attempt > 1)
      .map(({ eventId, attempt, atMs }) => {
        const first = arrivals.find((one) => one.eventId === eventId && one.attempt === attempt - 1);
        return atMs - (first?.atMs ?? Number.NEGATIVE_INFINITY);
      });
  });
