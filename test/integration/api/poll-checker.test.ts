/** Nobody who polls misses a change, in whichever way and however small the pages are; and a checker that could not tell is none. */
import { takeClocks } from '#lib/event-store';
import { checkPolling, type PollSum } from './poll-checker.ts';
import { openPollingApi, type PollingApi } from './polling-api.ts';

let api: PollingApi;
beforeAll(async () => {
  api = await openPollingApi({ maxConnections: 16, maxHeldPerCredential: 1_000, maxHeld: 1_000 });
});
afterAll(() => api.close());

const total = (counts: PollSum['missed']): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

test('pollers by time, by cursor and held see all that eight writers change', async () => {
  const sum = await checkPolling(api, { name: 'sound', changes: 2_000, limits: [2, 1_000], tenants: 3 });
  expect(sum.changes).toBeGreaterThanOrEqual(2_000);
  expect(Object.keys(sum.missed)).toHaveLength(6);
  expect({ failed: sum.failed, missed: total(sum.missed), outOfOrder: sum.outOfOrder, stuck: sum.stuck }).toEqual({
    failed: {},
    missed: 0,
    outOfOrder: {},
    stuck: [],
  });
}, 180_000);

test('they miss some where updated_at is the time alone', async () => {
  const clock: typeof takeClocks = {
    ...takeClocks,
    name: 'take-clocks-by-the-time-alone',
    text: `SELECT tenant, clock_timestamp() + (n - 1) * interval '1 microsecond' AS last_at,
                  pg_notify('hookline_changes', tenant)
             FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)`,
  };
  let missed = 0;
  for (let round = 0; round < 5 && missed === 0; round += 1) {
    const sum = await checkPolling(api, { name: `mutant-${round}`, changes: 600, limits: [100], tenants: 2, clock });
    missed = total(sum.missed);
  }
  expect(missed).toBeGreaterThan(0);
}, 180_000);
