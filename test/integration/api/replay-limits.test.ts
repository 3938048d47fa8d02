import { createTenantLimits } from '#lib/tenancy';
import { eventFact } from '../../unit/projector/facts.ts';
import { project } from '../projector/projection.ts';
import { killDeliveries } from '../replay-store/dead-deliveries.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
const reached: string[] = [];
beforeAll(async () => {
  api = await openApi({
    limits: createTenantLimits({ forAll: { replays: 2, single_replays: 1 }, byTenant: new Map() }),
    usage: { show: () => undefined, showShare: () => undefined, reached: (limit) => void reached.push(limit) },
  });
});
afterEach(() => api.postgres.query(`UPDATE replays SET status = 'cancelled'`));
afterAll(() => api.close());

let tenants = 0;
async function createTenant() {
  const tenant = `t${(tenants += 1)}`;
  const post = (path: string, body: object = {}) => api.ask({ method: 'POST', path: `/v1${path}`, tenant, body });
  const created = await post('/endpoints', { url: 'https://receiver.example/hook' });
  const endpointId = created.json<{ id: string }>().id;
  const eventIds = Array.from(
    { length: 8 },
    (_, n) => `evt_${String(tenants).padStart(4, '0')}${String(n).padStart(22, '0')}`,
  );
  await killDeliveries(api.postgres, tenant, eventIds, [endpointId]);
  return { tenant, post, endpointId, eventIds };
}
const limitReached = (limit: string) => ({ status: 429, code: 'limit_reached', limit });

it('replays that have not ended are limited; the tests of the tenant and other tenants are not held up by that', async () => {
  const { post, endpointId, tenant } = await createTenant();
  const replay = (limit = 2) => post('/dead-letters/replay', { all: true, limit });
  const ids: string[] = [];
  for (let each = 0; each < 2; each += 1) {
    const answer = await replay();
    expect(answer.json()).toMatchObject({ matched: 2, status: 'running' });
    ids.push(answer.json<{ id: string }>().id);
  }
  const since = '2020-01-01T00:00:00Z';
  expect((await replay()).json()).toMatchObject(limitReached('replays'));
  expect((await post(`/endpoints/${endpointId}/recover`, { since })).json()).toMatchObject(limitReached('replays'));
  expect(reached).toEqual(['replays', 'replays']);
  // No dead letter was claimed.
  const dead = await api.ask({ path: '/v1/dead-letters?status=dead', tenant });
  expect(dead.json()).toHaveLength(4);
  const ahead = async (id = ''): Promise<number> =>
    (await api.ask({ path: `/v1/replays/${id}`, tenant })).json<{ ahead: number }>().ahead;
  // Asked for at the same instant, as this clock has it.
  expect([await ahead(ids[0]), await ahead(ids[1])].sort()).toEqual([0, 1]);

  const other = await createTenant();
  expect((await other.post('/dead-letters/replay', { all: true })).status).toBe(202);
  expect((await post('/dead-letters/replay', { all: true, dry_run: true })).status).toBe(202);

  expect((await api.ask({ method: 'DELETE', path: `/v1/replays/${ids[0]}`, tenant })).status).toBe(204);
  expect(await ahead(ids[1])).toBe(0);
  expect((await replay()).status).toBe(202);
});

it('replays of one item are limited apart from them, whichever way they are asked for', async () => {
  const { post, endpointId, eventIds, tenant } = await createTenant();
  await project(api.postgres, [eventFact({ tenant, eventId: `evt_${'5'.repeat(26)}` }, { origin: `r-0-${tenant}` })]);
  const first = await post(`/events/${eventIds[0]}/replay`, { endpoint_id: endpointId });
  expect(first.json()).toMatchObject({ matched: 1, status: 'running' });
  const deliveryId = 'dlv_00000000000000000000000001';
  for (const set of ['deliveries SET id', 'dead_letters SET origin'])
    await api.postgres.query(`UPDATE ${set} = $2 WHERE tenant = $1 AND event_id = $3`, [
      tenant,
      deliveryId,
      eventIds[1],
    ]);
  for (const [path, body] of [
    [`/deliveries/${deliveryId}/retry`, {}],
    [`/endpoints/${endpointId}/test`, {}],
    [`/events/${eventIds[1]}/replay`, { endpoint_id: endpointId }],
    ['/dead-letters/replay', { all: true, limit: 1 }],
  ] as const)
    expect([path, (await post(path, body)).json()]).toEqual([
      path,
      expect.objectContaining(limitReached('single_replays')),
    ]);
});
