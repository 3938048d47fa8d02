import { runHookline } from '../../support/run-hookline.ts';
import { startFakeApi } from './fake-api.ts';

const endpoint = {
  id: 'ep_1',
  created_at: '2026-01-01T00:00:00.100000Z',
  effective_at: '2026-01-01T00:00:02.100000Z',
  secret: 'whsec_x',
};

let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeAll(async () => void (api = await startFakeApi(() => ({ status: 201, body: endpoint }))));
beforeEach(() => void api.asked.splice(0));
afterAll(() => api.stop());

const create = (...args: string[]) =>
  runHookline(['endpoints', 'create', '--url', 'https://a.example/', ...args], { env: { ...api.env, TZ: 'UTC' } });

test('says from when on the endpoint gets events, for people alone', async () => {
  const { stdout, stderr } = await create();
  expect(stdout).toContain('It gets events accepted from 2026-01-01T00:00:03Z on, two seconds after');
  expect(stdout).toContain(
    'hookline events replay --to ep_1 --since 2026-01-01T00:00:00.100000Z --until 2026-01-01T00:00:02.100000Z',
  );
  expect(stderr).toBe('');
  expect(JSON.parse((await create('--json')).stdout)).toEqual(endpoint);
});

test('makes a temporary endpoint', async () => {
  expect((await create('--expires-in', '300')).code).toBe(0);
  expect(api.asked[0]?.body).toEqual({ url: 'https://a.example/', expires_in: 300 });
});
