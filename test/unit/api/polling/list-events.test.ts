/** Requests for events whose answer can't be made, held or not. */
import { AppError, createManualClock } from '#lib/runtime';
import { waitUntil } from '../../../support/wait-until.ts';
import { closeApps } from '../ask.ts';
import { authorization, buildTestApp, postgresOf } from '../build-test-app.ts';

afterAll(closeApps);

const row = { clock_at: '2026-01-01T00:00:00.000001Z', removed_to: null, updated_at: '2026-01-01T00:00:00.000001Z' };
const event = { ...row, id: 'evt_1', type: 'a', status: 'received' };

/** The looks of one request, one after the other; then the database is away. */
function openApi(looks: readonly object[][]) {
  const left = [...looks];
  const clock = createManualClock();
  const postgres = postgresOf(async () => {
    const rows = left.shift();
    if (rows === undefined) throw new AppError('store_unavailable', 'connection lost');
    return rows;
  });
  const { ask, metrics } = buildTestApp({ postgres, clock });
  const waiting = async () => (await metrics.getSingleMetric('hookline_longpoll_waiting')?.get())?.values[0]?.value;
  return {
    clock,
    left,
    ask: (path: string, headers = {}) => ask({ path, headers: { authorization, ...headers } }),
    waiting,
  };
}

test.each(['', '?wait=30'])('a look that fails is 503 at once: /v1/events%s', async (query) => {
  const api = openApi([]);
  expect(await api.ask(`/v1/events${query}`)).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect(await api.waiting()).toBe(0);
});

test('so is the one that is made when a held request ends', async () => {
  const api = openApi([[event]]);
  const answer = api.ask('/v1/events?wait=30', { 'if-none-match': '*' });
  await waitUntil('it is held', async () => api.left.length === 0 && (await api.waiting()) === 1);
  await api.clock.advance(30_000);
  expect(await answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect(await api.waiting()).toBe(0);
});

test('a held request that ends with nothing is 204, and its place is free', async () => {
  const api = openApi([[{ ...row, id: null }]]);
  const answer = api.ask('/v1/events?wait=30');
  await waitUntil('it is held', async () => api.left.length === 0 && (await api.waiting()) === 1);
  await api.clock.advance(30_000);
  expect(await answer).toMatchObject({ status: 204, text: '' });
  expect(await api.waiting()).toBe(0);
});
