import { endpointDefaults, endpointSettlingMs, secretsContext } from '#lib/contract';
import { formatMicros, microsOf } from '#lib/runtime';
import { testSecretBox } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

interface EndpointJson {
  id: string;
  secret?: string;
  [field: string]: unknown;
}

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const post = (body: object, tenant?: string) =>
  api.ask({ method: 'POST', path: '/v1/endpoints', body, ...(tenant && { tenant }) });

test('an endpoint is created with its defaults, and shows its secret this once', async () => {
  const answer = await post({ url: 'https://example.com/hook' });
  expect(answer.status).toBe(201);
  const { secret, ...endpoint } = answer.json<EndpointJson>();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(endpoint).toEqual({
    id: expect.stringMatching(/^ep_[0-9a-z]{26}$/) as string,
    url: 'https://example.com/hook',
    url_by_portal: false,
    description: '',
    event_types: [],
    source_ids: [],
    filter: null,
    method: 'POST',
    headers: {},
    pass_headers: [],
    ed25519: false,
    public_keys: [],
    timeout_ms: 5_000,
    max_in_flight: 10,
    ordered: false,
    retry: endpointDefaults.retry,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
    effective_at: formatMicros(microsOf(String(endpoint['created_at'])) + endpointSettlingMs * 1_000),
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    paused_at: null,
    paused_until: null,
    expires_at: null,
    filter_unjudged: null,
  });
  expect((await api.ask({ path: `/v1/endpoints/${endpoint.id}` })).json()).toEqual(endpoint);
  expect((await api.ask({ path: '/v1/endpoints' })).json()).toContainEqual(endpoint);

  const [row] = await api.postgres.query<{ secrets: Buffer }>('SELECT secrets FROM endpoints WHERE id = $1', [
    endpoint.id,
  ]);
  const opened = testSecretBox.open(
    row?.secrets ?? Buffer.alloc(0),
    secretsContext('endpoints', 'default', endpoint.id),
  );
  expect(JSON.parse(opened)).toEqual([{ secret }]);
});

test('everything that is set is kept, and stored without the defaults', async () => {
  const source = (
    await api.ask({ method: 'POST', path: '/v1/sources', body: { name: 's', scheme: 'github' } })
  ).json<EndpointJson>();
  const given = {
    url: 'https://example.com/{hook}?a="b"',
    description: 'two\nlines, "quoted" \\ {braced}',
    event_types: ['a.b', 'NULL', '{"x",y}', ''.padEnd(255, 'z')],
    source_ids: [source.id],
    timeout_ms: 100,
    max_in_flight: 1,
    rate_limit: { per_second: 5, burst: 10 },
    retry: { base_seconds: 0.5, max_attempts: 3 },
  };
  const created = await post({ ...given, secret: 'my own' });
  expect(created.status).toBe(201);
  const { id } = created.json<EndpointJson>();
  expect((await api.ask({ path: `/v1/endpoints/${id}` })).json()).toMatchObject({
    ...given,
    retry: { ...endpointDefaults.retry, base_seconds: 0.5, max_attempts: 3 },
  });
  const [row] = await api.postgres.query<{ settings: object }>('SELECT settings FROM endpoints WHERE id = $1', [id]);
  expect(row?.settings).toEqual({
    timeout_ms: 100,
    max_in_flight: 1,
    rate_limit: given.rate_limit,
    retry: given.retry,
  });
});

test.each([
  'http://example.com/',
  'https://127.0.0.1/',
  'https://localhost/',
  'https://[::1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://0x7f.1/',
  'https://user:secret@example.com/',
  'ftp://example.com/',
])('%s is no place to deliver to', async (url) => {
  const answer = await post({ url });
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ code: 'url_not_allowed', errors: [{ field: '/url' }] });
});

test.each([
  [{}, '/url'],
  [{ url: 'example.com/hook' }, '/url'],
  [{ url: '' }, '/url'],
  [{ url: 'https://example.com', method: 'GET' }, '/method'],
  [{ url: 'https://example.com', timeout_ms: 99 }, '/timeout_ms'],
  [{ url: 'https://example.com', retry: { base_seconds: 10, cap_seconds: 5 } }, '/retry/cap_seconds'],
  [{ url: 'https://example.com', retry: { schedule: [1], base_seconds: 5 } }, '/retry/base_seconds'],
  [{ url: 'https://example.com', event_types: ['a', 'a'] }, '/event_types'],
  [{ url: 'https://example.com', event_types: ['a\0'] }, '/event_types/0'],
  [{ url: 'https://example.com', source_ids: [`src_${'0'.repeat(26)}`] }, '/source_ids/0'],
  [{ url: 'https://example.com', source_ids: ['a\0'] }, '/source_ids/0'],
  [{ url: 'https://example.com', secret: ' ' }, '/secret'],
])('%j is not valid, at %s', async (body, field) => {
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
});

test('another tenant’s source is no source to an endpoint', async () => {
  const source = await api.ask({
    method: 'POST',
    path: '/v1/sources',
    tenant: 'acme',
    body: { name: 's', scheme: 'github' },
  });
  const body = { url: 'https://example.com', source_ids: [source.json<EndpointJson>().id] };
  expect((await post(body, 'acme')).status).toBe(201);
  const refused = await post(body, 'rival');
  expect(refused.json()).toMatchObject({ code: 'validation_failed', errors: [{ field: '/source_ids/0' }] });
});

test('a deleted endpoint is gone to its tenant, has a new revision for the dispatcher, and never was to others', async () => {
  const { id } = (await post({ url: 'https://example.com' }, 'acme')).json<EndpointJson>();
  const path = `/v1/endpoints/${id}`;
  expect((await api.ask({ method: 'DELETE', path, tenant: 'rival' })).status).toBe(404);
  expect((await api.ask({ path, tenant: 'acme' })).status).toBe(200);

  expect((await api.ask({ method: 'DELETE', path, tenant: 'acme' })).status).toBe(204);
  expect((await api.ask({ path, tenant: 'acme' })).status).toBe(410);
  expect((await api.ask({ method: 'DELETE', path, tenant: 'acme' })).status).toBe(410);
  expect((await api.ask({ path, tenant: 'rival' })).status).toBe(404);
  expect((await api.ask({ path: '/v1/endpoints?limit=1000', tenant: 'acme' })).text).not.toContain(id);

  const [row] = await api.postgres.query<{ revision: number; moved: boolean }>(
    'SELECT revision, changed_at > created_at AS moved FROM endpoints WHERE id = $1',
    [id],
  );
  expect(row).toEqual({ revision: 2, moved: true });
});

test('whole numbers of a filter beyond 2^53 stay what they are: saved, shown, patched, in the history', async () => {
  const number = '9007199254740993';
  const body = `{"url":"https://example.com/exact","filter":{"account":${number}}}`;
  const made = await api.ask({ method: 'POST', path: '/v1/endpoints', body });
  expect([made.status, made.text]).toEqual([201, expect.stringContaining(`"filter":{"account":${number}}`)]);
  const path = `/v1/endpoints/${made.json<EndpointJson>().id}`;
  const patch = await api.ask({ method: 'PATCH', path, body: `{"filter":{"account":{"$in":[${number}]}}}` });
  expect([patch.status, patch.text]).toEqual([200, expect.stringContaining(`{"account":{"$in":[${number}]}}`)]);
  const renamed = await api.ask({ method: 'PATCH', path, body: '{"description":"other"}' });
  expect([renamed.status, renamed.text]).toEqual([200, expect.stringContaining(number)]);
  const [row] = await api.postgres.query<{ history: string }>(
    `SELECT history::text FROM endpoints WHERE filter::text LIKE '%${number}%'`,
  );
  expect(row?.history).toContain(`{"account": ${number}}`);
  const refused = await api.ask({ method: 'PATCH', path, body: '{"filter":{"account":1e400}}' });
  expect(refused.json()).toMatchObject({ status: 400, errors: [{ field: '/filter/account' }] });
});
