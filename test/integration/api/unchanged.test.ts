/** A request that changes nothing leaves no trace: no entry in the audit, no other ETag, no change that other processes notice. */
import { client } from '../../unit/ingress/certificates.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const entries = async (): Promise<number> => {
  const [row] = await api.postgres.query<{ count: number }>('SELECT count(*)::int AS count FROM audit');
  return row?.count ?? 0;
};
async function create(path: string, body: object): Promise<string> {
  const answer = await api.ask({ method: 'POST', path, body });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  const { id, name } = answer.json<{ id: string; name: string }>();
  return `${path}/${path.endsWith('event-types') ? name : id}`;
}

const endpoint = {
  url: 'https://receiver.example/hook',
  headers: { 'X-Api-Key': 'hush', 'X-Plain': 'a' },
  filter: { 'data.amount': { $gt: 1_000 } },
  client_certificate: { certificate: client.cert, private_key: client.key },
  proxy: 'http://user:hush@proxy.example:3128',
  retry: { base_seconds: 10 },
};
const source = { name: 's', scheme: 'github', tags_from: { a: '/a' }, verify_token: 'hush' };

test.each([
  ['an endpoint', '/v1/endpoints', endpoint, {}],
  ['an endpoint', '/v1/endpoints', endpoint, { url: endpoint.url, retry: endpoint.retry, filter: endpoint.filter }],
  ['an endpoint', '/v1/endpoints', endpoint, { headers: { 'X-Api-Key': 'hush' } }],
  ['an endpoint', '/v1/endpoints', endpoint, { headers: { 'X-Api-Key': '***' }, proxy: endpoint.proxy }],
  ['an endpoint', '/v1/endpoints', endpoint, { timeout_ms: 5_000, event_types: [], expires_in: null }],
  ['a source', '/v1/sources', source, {}],
  ['a source', '/v1/sources', source, { name: 's', tags_from: { a: '/a' }, response_status: 202 }],
  ['a source', '/v1/sources', source, { verify_token: 'hush' }],
  ['an event type', '/v1/event-types', { name: 'a.b', visibility: 'public' }, { visibility: 'public', notes: '' }],
])('a PATCH of %s at %s by what it is already changes nothing: %#', async (_what, path, body, patch) => {
  const [table = ''] = /[a-z-]+$/.exec(path) ?? [];
  const at = await create(path, body);
  const before = await api.ask({ path: at });
  const changedAt = () => api.postgres.query(`SELECT max(changed_at) FROM ${table.replace('-', '_')}`);
  const [count, changed] = [await entries(), await changedAt()];
  const answer = await api.ask({ method: 'PATCH', path: at, body: patch });
  expect([answer.status, answer.headers['etag'], answer.text]).toEqual([200, before.headers['etag'], before.text]);
  expect([await entries(), await changedAt()]).toEqual([count, changed]);

  if (path === '/v1/event-types') return;
  // A difference in a masked value alone is a change.
  const other = path === '/v1/endpoints' ? { headers: { 'X-Api-Key': 'another' } } : { verify_token: 'another' };
  const after = await api.ask({ method: 'PATCH', path: at, body: other });
  expect([after.status, after.headers['etag'] === before.headers['etag'], await entries()]).toEqual([
    200,
    false,
    count + 1,
  ]);
});

test('a PUT of a tenant by what it is already leaves no entry', async () => {
  const put = () =>
    api.ask({ method: 'PUT', path: '/v1/tenants/acme', body: { name: 'Acme', limits: { endpoints: 5 } } });
  expect((await put()).status).toBe(200);
  const count = await entries();
  expect((await put()).status).toBe(200);
  expect(await entries()).toBe(count);
});
