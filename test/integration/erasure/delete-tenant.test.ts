import { randomUUID } from 'node:crypto';
import { createErasedEvents, tenantTableNames, tenantTables } from '#lib/erasure';
import { createId, silentLogger, systemClock } from '#lib/runtime';
import { forgetTenants } from '../../../services/projector/retention/sweep-erased.ts';
import { eventFact, fanOutFact, outcomeFact, startAt } from '../../unit/projector/facts.ts';
import { type OpenApi, openApi } from '../api/api-over-database.ts';
import { createThings } from '../api/openapi-world.ts';
import { project } from '../projector/projection.ts';
import { workOff } from './erasing-api.ts';
import { columnsWith } from './find-marker.ts';

let api: OpenApi;
let erased: ReturnType<typeof createErasedEvents>;
beforeAll(async () => {
  // The view asks the database of the API, which is there once the API is.
  const query = { query: ((...statement) => api.postgres.query(...statement)) as OpenApi['postgres']['query'] };
  erased = createErasedEvents({ followPostgres: query, postgres: query, clock: systemClock, log: silentLogger });
  api = await openApi({ erased });
  await erased.start();
});
afterAll(async () => {
  await erased.stop();
  await api.close();
});

const rowsOf = async (tenant: string): Promise<string[]> => {
  const found: string[] = [];
  for (const table of tenantTableNames)
    if ((await api.postgres.query(`SELECT FROM ${table} WHERE tenant = $1 LIMIT 1`, [tenant])).length > 0)
      found.push(table);
  return found.sort();
};
const remove = (tenant: string, query = `?confirm=${tenant}`) =>
  api.ask({ method: 'DELETE', path: `/v1/tenants/${tenant}${query}` });

test('a deleted tenant has no rows but tombstones, is 410 in name, and other tenants have all of theirs', async () => {
  const [tenant, other] = ['bye', 'stays'];
  const things = await createThings(api, tenant);
  await createThings(api, other);
  const marker = `marker-${randomUUID()}`;
  const event = { tenant, eventId: createId('evt', startAt / 1000) };
  const facts = [
    eventFact(event, { payload: Buffer.from(marker), event_id: marker }),
    fanOutFact(event, ['ep_1']),
    outcomeFact(event, 'ep_1', 1, 'retrying'),
  ];
  await project(api.postgres, facts);
  await api.ask({ method: 'POST', path: '/v1/events', body: { type: 'x', payload: marker, event_id: marker }, tenant });
  const before = await rowsOf(other);
  const counted = async () =>
    Promise.all(
      before
        .filter((table) => table !== 'tenant_clocks')
        .map(
          async (table) =>
            [table, await api.postgres.query(`SELECT FROM ${table} WHERE tenant = $1`, [other])] as const,
        ),
    );
  const countsBefore = (await counted()).map(([table, rows]) => [table, rows.length]);

  expect((await remove(tenant, '')).json()).toMatchObject({ status: 400, errors: [{ field: 'confirm' }] });
  expect((await remove(tenant, `?confirm=${other}`)).status).toBe(400);
  const begun = await remove(tenant);
  expect([begun.status, begun.text]).toEqual([202, begun.text]);
  const { id } = begun.json<{ id: string }>();
  expect(await api.ask({ path: '/v1/events', tenant })).toMatchObject({ status: 410 });
  expect((await api.ask({ method: 'PUT', path: `/v1/tenants/${tenant}`, body: { name: 'x' } })).status).toBe(410);

  const done = await workOff(api, tenant, id);
  expect(done).toMatchObject({ kind: 'tenant', kafka: expect.any(Array) as unknown });
  const left = (await rowsOf(tenant)).filter((table) => tenantTables[table as 'events'].deletion === 'removed');
  expect(left).toEqual([]);
  expect(await columnsWith(api.postgres, marker)).toEqual([]);
  expect(
    await api.postgres.query('SELECT name, buried, deleted_at IS NOT NULL AS deleted FROM sources WHERE tenant = $1', [
      tenant,
    ]),
  ).toEqual([{ name: '', buried: true, deleted: true }]);
  expect((await counted()).map(([table, rows]) => [table, rows.length])).toEqual(countsBefore);
  const tenants = (await api.ask({ path: '/v1/tenants?limit=100' })).json<{ id: string }[]>().map((one) => one.id);
  expect(tenants).toContain(other);
  expect(tenants).not.toContain(tenant);
  expect(things.source).toMatch(/^src_/);

  // Records that come after are dropped and counted, and nothing of them is written.
  await project(api.postgres, facts);
  const again = (await remove(tenant)).json<{ id: string; dropped: number; status: string }>();
  expect(again).toMatchObject({ id, status: 'completed' });
  expect(again.dropped).toBeGreaterThanOrEqual(3);
  expect((await rowsOf(tenant)).filter((table) => tenantTables[table as 'events'].deletion === 'removed')).toEqual([]);

  // When Kafka has nothing of it any more, the name is new again.
  await api.postgres.query(`UPDATE erasures SET kept_until = now() - interval '1 second' WHERE tenant = $1`, [tenant]);
  for (let rounds = 0; rounds < 2; rounds += 1) {
    await forgetTenants(api.postgres, Date.now() * 1_000);
    await erased.refresh();
  }
  expect(await rowsOf(tenant)).toEqual([]);
  expect(await api.ask({ path: '/v1/events', tenant })).toMatchObject({ status: 200 });
});

test('only the operator deletes tenants', async () => {
  const { key } = (
    await api.ask({ method: 'POST', path: '/v1/api-keys', body: { name: 'a', scopes: ['admin'] }, tenant: 'kept' })
  ).json<{ key: string }>();
  const headers = { authorization: `Bearer ${key}` };
  expect(await api.ask({ method: 'DELETE', path: '/v1/tenants/kept?confirm=kept', headers })).toMatchObject({
    status: 403,
  });
});
