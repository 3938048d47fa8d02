/** How much of sources and endpoints a tenant may have, and how often it may change what an endpoint gets. */
import { Registry } from 'prom-client';
import { silentLogger } from '#lib/runtime';
import { createTenantLimits, createTenantUsage, parseLimitSettings } from '#lib/tenancy';
import { createDisableEndpoint } from '../../../services/dispatcher/endpoints/disable-endpoint.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

const read = parseLimitSettings(
  'sources=3,endpoints=3,api_keys=3,endpoint_changes=5,roomy/endpoints=50,small/endpoint_bytes=6000,' +
    'small/source_bytes=6000,tight/endpoint_bytes=1500,none/sources=0,bytes/endpoint_change_bytes=2000',
);
if ('problems' in read) throw new Error(read.problems.join());
const limits = createTenantLimits(read.settings);
const metrics = new Registry();

let api: OpenApi;
beforeAll(async () => {
  api = await openApi({ limits, usage: createTenantUsage(metrics, limits) });
});
afterAll(() => api.close());

const aSource = { name: 'shop', scheme: 'hookline' };
const anEndpoint = { url: 'https://receiver.test/' };
const aKey = { name: 'ours', scopes: ['read'] };
const create = (path: string, tenant: string, body: object) =>
  api.ask({ method: 'POST', path, body, tenant, headers: { 'idempotency-key': `"${Math.random()}"` } });
async function made(tenant: string, body: object = anEndpoint): Promise<string> {
  const answer = await create('/v1/endpoints', tenant, body);
  expect(answer.status).toBe(201);
  return answer.json<{ id: string }>().id;
}
const patch = (tenant: string, id: string, body: object) =>
  api.ask({ method: 'PATCH', path: `/v1/endpoints/${id}`, body, tenant });
const post = (tenant: string, id: string, action: string) =>
  api.ask({ method: 'POST', path: `/v1/endpoints/${id}/${action}`, tenant });
const changesOf = async (id: string): Promise<number | undefined> =>
  (
    await api.postgres.query<{ changes: number }>(
      'SELECT jsonb_array_length(history) AS changes FROM endpoints WHERE id = $1',
      [id],
    )
  )[0]?.changes;

describe.each([
  ['/v1/sources', 'sources', aSource],
  ['/v1/endpoints', 'endpoints', anEndpoint],
  ['/v1/api-keys', 'api_keys', aKey],
])('POST %s', (path, limit, body) => {
  test('is 429 with the limit’s name at the limit, and possible again after a deletion', async () => {
    const tenant = `full-${limit}`;
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) ids.push((await create(path, tenant, body)).json<{ id: string }>().id);
    const refused = await create(path, tenant, body);
    expect(refused.status).toBe(429);
    expect(refused.json()).toMatchObject({ code: 'limit_reached', limit });
    const { values } = await metrics.getSingleMetric('hookline_tenant_limit_reached_total')!.get();
    expect(values.find(({ labels }) => labels['limit'] === limit)?.value).toBe(1);
    // Another tenant has its own.
    expect((await create(path, `beside-${limit}`, body)).status).toBe(201);
    expect((await api.ask({ method: 'DELETE', path: `${path}/${ids[0]}`, tenant })).status).toBe(204);
    expect((await create(path, tenant, body)).status).toBe(201);
    expect((await create(path, tenant, body)).status).toBe(429);
  });

  test('lets no more in of many at once', async () => {
    const tenant = `at-once-${limit}`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(path, tenant, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(3).fill(201),
      ...Array<number>(9).fill(429),
    ]);
    const listed = await api.ask({ path, tenant });
    expect(listed.json()).toHaveLength(3);
  });
});

describe.each([
  ['/v1/sources', 'sources', aSource],
  ['/v1/endpoints', 'endpoints', anEndpoint],
])('POST %s', (path, limit, body) => {
  test('counts the bytes of those that were deleted, too, until nothing is judged by them', async () => {
    let answer = await create(path, 'small', body);
    for (let index = 0; index < 20 && answer.status === 201; index += 1) {
      const { id } = answer.json<{ id: string }>();
      await api.ask({ method: 'DELETE', path: `${path}/${id}`, tenant: 'small' });
      answer = await create(path, 'small', body);
    }
    expect(answer.json()).toMatchObject({ code: 'limit_reached', limit: `${limit.slice(0, -1)}_bytes` });
    await api.postgres.query(`UPDATE ${limit} SET buried = true WHERE tenant = 'small' AND deleted_at IS NOT NULL`);
    expect((await create(path, 'small', body)).status).toBe(201);
  });
});

test('a limit of none lets none in', async () => {
  expect((await create('/v1/sources', 'none', aSource)).status).toBe(429);
});

describe('what an endpoint gets', () => {
  test('is changed only as often as every change can be kept, and no change is dropped', async () => {
    const tenant = 'roomy';
    const id = await made(tenant);
    for (let change = 1; change <= 5; change += 1)
      expect((await patch(tenant, id, { event_types: [`type.${change}`] })).status).toBe(200);
    const refused = await patch(tenant, id, { event_types: ['type.6'] });
    expect(refused.status).toBe(429);
    expect(refused.json()).toMatchObject({ code: 'limit_reached', limit: 'endpoint_changes' });
    expect(await changesOf(id)).toBe(5);
    expect((await api.ask({ path: `/v1/endpoints/${id}`, tenant })).json()).toMatchObject({ event_types: ['type.5'] });
    // A change that adds nothing still works, also when it is repeated.
    expect((await patch(tenant, id, { url: 'https://other.test/' })).status).toBe(200);
    expect((await patch(tenant, id, { event_types: ['type.5'] })).status).toBe(200);
    expect(await changesOf(id)).toBe(5);
    // Disabling and deleting are never refused; enabling is.
    expect((await post(tenant, id, 'disable')).status).toBe(200);
    expect((await post(tenant, id, 'enable')).json()).toMatchObject({ limit: 'endpoint_changes' });
    expect(await changesOf(id)).toBe(6);
    expect((await api.ask({ method: 'DELETE', path: `/v1/endpoints/${id}`, tenant })).status).toBe(204);
  });

  test('is disabled by the dispatcher at the limit, too', async () => {
    const tenant = 'roomy';
    const id = await made(tenant);
    for (let change = 1; change <= 5; change += 1) await patch(tenant, id, { event_types: [`type.${change}`] });
    const disabled = jest.fn();
    const disable = createDisableEndpoint({
      postgres: api.postgres,
      metrics: { endpointDisabled: disabled },
      log: silentLogger,
    });
    expect(await disable({ tenant, id, revision: 6 }, { reason: 'gone' })).toBe(true);
    expect(disabled).toHaveBeenCalledWith('gone');
    expect(await changesOf(id)).toBe(6);
  });

  test('is bounded in bytes as well', async () => {
    const id = await made('bytes');
    const long = (change: number): string[] => [0, 1, 2].map((index) => `${change}.${index}.`.padEnd(250, 'x'));
    const statuses: number[] = [];
    for (let change = 0; change < 5; change += 1)
      statuses.push((await patch('bytes', id, { event_types: long(change) })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    expect((await patch('bytes', id, { event_types: ['a'] })).json()).toMatchObject({ limit: 'endpoint_change_bytes' });
  });

  test('is not made larger by a tenant that is full, but smaller', async () => {
    const id = await made('tight', { ...anEndpoint, description: 'x'.repeat(500) });
    const another = await made('tight', { ...anEndpoint, description: 'y'.repeat(400) });
    const refused = await patch('tight', id, { description: 'x'.repeat(900) });
    expect(refused.json()).toMatchObject({ code: 'limit_reached', limit: 'endpoint_bytes' });
    expect((await patch('tight', id, { event_types: ['a'] })).json()).toMatchObject({ limit: 'endpoint_bytes' });
    expect((await patch('tight', another, { description: '' })).status).toBe(200);
    expect((await patch('tight', id, { description: '' })).status).toBe(200);
  });
});

test('the counts are those of the rows, whatever was done to them', async () => {
  for (const table of ['sources', 'endpoints']) {
    const counted = await api.postgres.query(
      `SELECT tenant, live, bytes FROM tenant_resources WHERE kind = $1 AND (live > 0 OR bytes > 0) ORDER BY tenant`,
      [table],
    );
    const rows = await api.postgres.query(
      `SELECT tenant, count(*) FILTER (WHERE deleted_at IS NULL)::integer AS live, sum(bytes) AS bytes FROM ${table} GROUP BY tenant ORDER BY tenant`,
    );
    expect(counted).toEqual(rows);
    expect(rows.length).toBeGreaterThan(1);
  }
});

test('GET /v1/limits says what the tenant uses of its limits, as it changes', async () => {
  const tenant = 'roomy';
  const shown = async () => {
    const answer = await api.ask({ path: '/v1/limits', tenant });
    expect(answer.status).toBe(200);
    const rows = answer.json<{ name: string; limit: number | null; used: number | null }[]>();
    return new Map(rows.map(({ name, limit, used }) => [name, { limit, used }]));
  };
  const before = await shown();
  const used = (limits: typeof before, name: string): number => limits.get(name)?.used ?? Number.NaN;
  const id = await made(tenant);
  const session = await create('/v1/sessions', tenant, { expires_in_seconds: 600, scopes: ['read'] });
  expect(session.status).toBe(201);
  const described = await create('/v1/event-types', tenant, { name: 'order.paid', schema: { type: 'object' } });
  expect(described.status).toBe(201);
  const after = await shown();
  expect(after.get('endpoints')).toEqual({ limit: 50, used: used(before, 'endpoints') + 1 });
  expect(used(after, 'endpoint_bytes')).toBeGreaterThan(used(before, 'endpoint_bytes'));
  expect(used(after, 'sessions')).toBe(used(before, 'sessions') + 1);
  expect(used(after, 'event_types')).toBe(used(before, 'event_types') + 1);
  expect(used(after, 'event_type_bytes')).toBeGreaterThan(used(before, 'event_type_bytes'));
  expect((await api.ask({ method: 'DELETE', path: `/v1/endpoints/${id}`, tenant })).status).toBe(204);
  expect(used(await shown(), 'endpoints')).toBe(used(before, 'endpoints'));
});
