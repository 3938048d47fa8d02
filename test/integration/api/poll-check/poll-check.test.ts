/** No poller of any kind and page size misses a change; and the checker can detect misses. */
import { takeClocks } from '#lib/event-store';
import { createPostgres, type Postgres } from '#lib/postgres';
import { silentLogger } from '#lib/runtime';
import { openPollingApi, type PollingApi } from '../polling-api.ts';
import { checkPolling, faultsOf, type PollCheck, type PollSum } from './check-polling.ts';
import { installSteppedClock } from './stepped-clock.ts';

const writers = 8;
let apis: PollingApi[];
/** The writers', who send their statements as projectors do. */
let postgres: Postgres;
beforeAll(async () => {
  const options = { maxConnections: writers + 6, maxHeldPerCredential: 1_000, maxHeld: 1_000 };
  const first = await openPollingApi({ ...options, prepare: installSteppedClock });
  apis = [first, await openPollingApi({ ...options, databaseUrl: first.databaseUrl })];
  postgres = createPostgres({
    url: first.databaseUrl,
    applicationName: 'poll-check',
    maxConnections: writers + 2,
    isPipelined: true,
    statementTimeoutMs: 20_000,
    log: silentLogger,
  });
  await postgres.start();
});
afterAll(async () => {
  await postgres.stop();
  for (const api of apis) await api.close();
});

const check = (given: Partial<PollCheck> & Pick<PollCheck, 'name' | 'changes'>): Promise<PollSum> =>
  checkPolling({
    postgres,
    urls: apis.map(({ port }) => `http://127.0.0.1:${port}`),
    seed: 1,
    tenants: 3,
    polled: 3,
    writers,
    publishers: 2,
    limits: [2, 1_000],
    factsAtOnce: 6,
    standStills: 0,
    clockSteps: true,
    ...given,
  });

/** Over as many rounds as it takes. */
async function findsFaults(name: string, given: Partial<PollCheck>): Promise<boolean> {
  for (let round = 0; round < 5; round += 1)
    if (
      faultsOf(
        await check({ name: `${name}-${round}`, changes: 600, limits: [100], tenants: 2, seed: round, ...given }),
      ).length > 0
    )
      return true;
  return false;
}

const clockOf = (name: string, text: string): typeof takeClocks => ({ ...takeClocks, name, text });

test('by time, by cursor and held, at two processes, all is seen that eight writers and two publishers change', async () => {
  const sum = await check({ name: 'sound', changes: 1_200, standStills: 1 });
  expect(faultsOf(sum)).toEqual([]);
  expect(sum.changes).toBeGreaterThanOrEqual(1_200);
  expect(Object.keys(sum.missed)).toHaveLength(8);
  expect(sum.ended).toBe(1);
  expect(Math.min(sum.published, sum.paused, sum.clockSteps.forward, sum.clockSteps.back)).toBeGreaterThan(0);
});

test('some is missed where updated_at is the time alone, without the clock’s row', async () => {
  const clock = clockOf(
    'take-clocks-by-the-time-alone',
    `SELECT tenant, clock_timestamp() + (n - 1) * interval '1 microsecond' AS last_at,
            pg_notify('hookline_changes', tenant)
       FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)`,
  );
  expect(await findsFaults('time-alone', { clock, clockSteps: false, publishers: 0 })).toBe(true);
});

test('and where the row is taken but the time goes back with the clock', async () => {
  const text = takeClocks.text.replace(
    /greatest\(clock_timestamp\(\), clock\.last_at \+ interval '1 microsecond'\)/,
    'clock_timestamp()',
  );
  expect(text).not.toBe(takeClocks.text);
  const clock = clockOf('take-clocks-that-go-back', text);
  expect(await findsFaults('goes-back', { clock, publishers: 0 })).toBe(true);
});
