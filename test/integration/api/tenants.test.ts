import { silentLogger, systemClock } from '#lib/runtime';
import { createTenantLimits, parseLimitSettings } from '#lib/tenancy';
import { followLimits } from '../../../services/api/limits/follow-limits.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { buildTestApp, authorization } from '../../unit/api/build-test-app.ts';
import { type OpenApi, nextPath, openApi } from './api-over-database.ts';

const read = parseLimitSettings('endpoints=2,sources=5,acme/endpoints=3');
if ('problems' in read) throw new Error(read.problems.join());
const limitSettings = createTenantLimits(read.settings);

interface Tenant {
  id: string;
  name: string;
  limits: Record<string, number>;
  own_limits: Record<string, number>;
  counts: Record<string, number>;
}

let api: OpenApi;
let followed: ReturnType<typeof followLimits>;
let another: ReturnType<typeof buildTestApp>;
beforeAll(async () => {
  api = await openApi({ limitSettings, limits: limitSettings });
  followed = followLimits({
    settings: limitSettings,
    followPostgres: api.postgres,
    clock: systemClock,
    log: silentLogger,
  });
  await followed.start();
  another = buildTestApp({ postgres: api.postgres, limitSettings, limits: followed });
});
afterAll(async () => {
  await followed.stop();
  await api.close();
});

const put = (id: string, body: object) => api.ask({ method: 'PUT', path: `/v1/tenants/${id}`, body });
const createEndpoint = async (tenant: string) => {
  const headers = { authorization, 'hookline-tenant': tenant, 'content-type': 'application/json' };
  const answer = await another.ask({
    method: 'POST',
    path: '/v1/endpoints',
    headers,
    body: { url: 'https://r.example/' },
  });
  return answer.status;
};

test('the limits of a tenant are those of its row, else the settings’ for it, else those for all, and hold within two seconds', async () => {
  const limit = (tenant: string): number => {
    void followed.recent();
    return followed.of(tenant, 'endpoints');
  };
  expect([limit('acme'), limit('other')]).toEqual([3, 2]);
  expect([await createEndpoint('other'), await createEndpoint('other'), await createEndpoint('other')]).toEqual([
    201, 201, 429,
  ]);

  const answer = await put('other', { name: 'Other', limits: { endpoints: 4 } });
  expect([answer.status, answer.json()]).toMatchObject([
    200,
    {
      id: 'other',
      name: 'Other',
      limits: { endpoints: 4, sources: 5 },
      own_limits: { endpoints: 4 },
      counts: { endpoints: 2 },
    },
  ]);
  await waitUntil('the limit holds', async () => limit('other') === 4, { timeoutMs: 2_000 });
  expect([await createEndpoint('other'), await createEndpoint('other'), await createEndpoint('other')]).toEqual([
    201, 201, 429,
  ]);

  // Lowered below what there is, it removes nothing; left out, it is that of the settings again.
  await put('other', { name: 'Other', limits: { endpoints: 1 } });
  await waitUntil('the lower limit holds', async () => limit('other') === 1, { timeoutMs: 2_000 });
  expect(await createEndpoint('other')).toBe(429);
  const reset = (await put('other', { name: 'Other' })).json<Tenant>();
  expect([reset.limits['endpoints'], reset.own_limits, reset.counts['endpoints']]).toEqual([2, {}, 4]);
  await waitUntil('the limit of the settings holds', async () => limit('other') === 2, { timeoutMs: 2_000 });
});

test.each([
  ['acme', {}, '/name'],
  ['acme', { name: 'x', limits: { none: 1 } }, '/limits/none'],
  ['acme', { name: 'x', limits: { endpoints: -1 } }, '/limits/endpoints'],
  ['acme', { name: 'x', limits: { endpoints: 1.5 } }, '/limits/endpoints'],
  ['acme', { name: 'x', limits: { endpoints: 100_001 } }, '/limits/endpoints'],
  ['acme', { name: 'x', more: 1 }, '/more'],
  ['-', { name: 'x' }, 'id'],
  ['*', { name: 'x' }, 'id'],
])('%s %j is refused with the name of the field', async (id, body, field) => {
  const answer = await put(id, body);
  expect([answer.status, answer.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
});

test('tenants are listed page by page: those that were named, and those that have something', async () => {
  for (const tenant of ['b-has-a-key', 'd-has-a-source'])
    await api.ask({ method: 'POST', path: '/v1/api-keys', tenant, body: { name: 'k', scopes: ['read'] } });
  await api.ask({ method: 'POST', path: '/v1/events', tenant: 'c-has-an-event', body: { type: 'a', payload: 1 } });
  await put('a-is-named', { name: 'A' });
  const seen: Tenant[] = [];
  for (let path: string | undefined = '/v1/tenants?limit=2'; path !== undefined;) {
    const answer: Awaited<ReturnType<OpenApi['ask']>> = await api.ask({ path });
    const page = answer.json<Tenant[]>();
    expect(page.length).toBeLessThanOrEqual(2);
    seen.push(...page);
    path = nextPath(answer.headers.link);
  }
  const ids = seen.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids).toEqual(
    expect.arrayContaining(['a-is-named', 'b-has-a-key', 'c-has-an-event', 'd-has-a-source', 'other']),
  );
  expect(seen.find(({ id }) => id === 'b-has-a-key')?.counts).toMatchObject({ api_keys: 1, sources: 0 });
  for (const tenant of seen)
    expect((await api.ask({ path: `/v1/tenants/${tenant.id}` })).json<Tenant>()).toEqual(tenant);
});

test('one that is not listed is a 404, a deleted one a 410', async () => {
  for (const id of ['never', '-', '*', '%00'])
    expect([id, (await api.ask({ path: `/v1/tenants/${id}` })).status]).toEqual([id, 404]);
  const erased = {
    hasTenant: (tenant: string) => tenant === 'left',
    refresh: async () => undefined,
    recent: () => undefined,
  };
  const { app, ask } = buildTestApp({ erased });
  const answer = await ask({ path: '/v1/tenants/left', headers: { authorization } });
  expect([answer.status, answer.json()]).toMatchObject([410, { code: 'gone' }]);
  await app.close();
});

test('two that put the same tenant at once are both in the audit, each with what the other made', async () => {
  await Promise.all([put('twice', { name: 'one' }), put('twice', { name: 'two' })]);
  const entries = (await api.ask({ path: '/v1/audit?action=tenant.update', tenant: 'twice' })).json<
    { before: { name: string }; after: { name: string } }[]
  >();
  const first = entries.find(({ before }) => before.name === '');
  const second = entries.find(({ before }) => before.name !== '');
  expect([entries.length, second?.before.name]).toEqual([2, first?.after.name]);
});
