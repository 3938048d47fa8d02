import { secretsContext } from '#lib/contract';
import { testSecretBox } from '../../unit/api/build-test-app.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';

interface SourceJson {
  id: string;
  secret?: string;
  [field: string]: unknown;
}

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const create = async (body: object, tenant?: string): Promise<SourceJson> => {
  const answer = await api.ask({ method: 'POST', path: '/v1/sources', body, ...(tenant && { tenant }) });
  expect(answer.status).toBe(201);
  return answer.json<SourceJson>();
};

test('a source is created with its defaults, and shows its secret this once', async () => {
  const answer = await api.ask({ method: 'POST', path: '/v1/sources', body: { name: 'shop', scheme: 'hookline' } });
  expect(answer.status).toBe(201);
  const { secret, ...source } = answer.json<SourceJson>();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(source).toEqual({
    id: expect.stringMatching(/^src_[0-9a-z]{26}$/) as string,
    name: 'shop',
    scheme: 'hookline',
    ingest_url: `https://in.test/v1/webhooks/${source.id}`,
    dedup: 'on',
    identified_by: { places: ['/id', '/event_id', '/message_id'], with: null },
    advice: [],
    dedup_ttl_seconds: 259_200,
    timestamp_tolerance_seconds: 300,
    response_status: 202,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
  });
  expect(answer.headers.etag).toBe('"1"');
  expect(answer.headers.location).toBe(`/v1/sources/${source.id}`);

  const read = await api.ask({ path: `/v1/sources/${source.id}` });
  expect(read.json()).toEqual(source);
  const listed = (await api.ask({ path: '/v1/sources?limit=1000' })).json<SourceJson[]>();
  expect(listed).toContainEqual(source);
});

test('everything that is set is kept as it was given', async () => {
  const settings = {
    signature_header: 'X-Signature',
    dedup_id: ['header:X-Id', '/data/id'],
    dedup_ttl_seconds: 60,
    event_type_from: ['/type'],
    timestamp_tolerance_seconds: 60,
    response_status: 204,
    ordering_key: ['/data/customer'],
    allowed_ips: ['192.0.2.0/24', '::1'],
    rate_limit: { per_second: 10, burst: 20 },
    client_certificate: { required: true, fingerprints: ['ab'.repeat(32)] },
    keep_rejected_bodies: true,
    public_url: 'https://example.com/in',
  };
  const given = { name: 'Ünïcode 🛒', scheme: 'github', ...settings, secret: "It's a Secret to Everybody" };
  const { id, secret } = await create(given);
  expect(secret).toBe(given.secret);
  expect((await api.ask({ path: `/v1/sources/${id}` })).json()).toMatchObject({
    name: given.name,
    scheme: 'github',
    ...settings,
  });
});

test('a secret is sealed at rest, for its own row alone', async () => {
  const { id, secret } = await create({ name: 'a', scheme: 'hookline', secret: 'whsec_c29tZSBzZWNyZXQ=' });
  const [row] = await api.postgres.query<{ secrets: Buffer; whole: string }>(
    'SELECT secrets, sources::text AS whole FROM sources WHERE id = $1',
    [id],
  );
  const sealed = row?.secrets ?? Buffer.alloc(0);
  expect(sealed.includes(secret ?? '')).toBe(false);
  expect(row?.whole).not.toContain(secret);
  expect(JSON.parse(testSecretBox.open(sealed, secretsContext('sources', 'default', id)))).toEqual([{ secret }]);
  expect(() => testSecretBox.open(sealed, secretsContext('sources', 'other', id))).toThrow();
});

test('a deleted source is gone, for good and for every method, and no longer listed', async () => {
  const { id } = await create({ name: 'short-lived', scheme: 'hookline' });
  const path = `/v1/sources/${id}`;
  const changedAt = async () =>
    (await api.postgres.query<{ changed_at: string }>('SELECT changed_at FROM sources WHERE id = $1', [id]))[0]
      ?.changed_at;
  const createdAt = await changedAt();

  const deleted = await api.ask({ method: 'DELETE', path, headers: { 'content-type': 'application/json' } });
  expect([deleted.status, deleted.text]).toEqual([204, '']);
  for (const asking of [
    { method: 'GET', path },
    { method: 'DELETE', path },
    { method: 'HEAD', path },
    { method: 'PATCH', path, body: { name: 'x' } },
    { method: 'POST', path: `${path}/rotate-secret`, body: {} },
    { method: 'GET', path: `${path}/rejections` },
  ]) {
    const answer = await api.ask(asking);
    expect(answer.status).toBe(410);
    if (asking.method !== 'HEAD') expect(answer.json()).toMatchObject({ code: 'gone', status: 410 });
  }
  expect((await api.ask({ path: '/v1/sources?limit=1000' })).text).not.toContain(id);
  // Followers of the table see a deletion by this.
  expect(Date.parse((await changedAt()) ?? '')).toBeGreaterThanOrEqual(Date.parse(createdAt ?? ''));
  expect(await changedAt()).not.toBe(createdAt);
});

test('another tenant’s source can’t be told from one that never was', async () => {
  const { id } = await create({ name: 'private', scheme: 'hookline' }, 'acme');
  const never = `src_${'0'.repeat(26)}`;
  const comparable = ({ status, headers, text }: Awaited<ReturnType<OpenApi['ask']>>) => ({
    status,
    text,
    headers: { ...headers, date: '' },
  });
  for (const [method, below, body] of [
    ['GET', ''],
    ['DELETE', ''],
    ['HEAD', ''],
    ['PATCH', '', { name: 'x' }],
    ['POST', '/rotate-secret', {}],
    ['GET', '/rejections'],
  ] as const) {
    const [foreign, missing] = await Promise.all(
      [id, never].map((asked) =>
        api.ask({ method, path: `/v1/sources/${asked}${below}`, tenant: 'rival', ...(body && { body }) }),
      ),
    );
    expect(foreign?.status).toBe(404);
    expect(foreign && comparable(foreign)).toEqual(missing && comparable(missing));
  }
  expect((await api.ask({ path: '/v1/sources', tenant: 'rival' })).json()).toEqual([]);
  expect((await api.ask({ path: `/v1/sources/${id}`, tenant: 'acme' })).status).toBe(200);

  await api.ask({ method: 'DELETE', path: `/v1/sources/${id}`, tenant: 'acme' });
  // A tombstone is its tenant's, too.
  expect((await api.ask({ path: `/v1/sources/${id}`, tenant: 'rival' })).status).toBe(404);
});

test('a verify token is shown to nobody, not even where it is set', async () => {
  const { id, ...created } = await create({ name: 'token', scheme: 'hookline', verify_token: 'hush-hush' });
  expect(created).toMatchObject({ verify_token_set: true });
  const answers = [await api.ask({ path: `/v1/sources/${id}` }), await api.ask({ path: '/v1/sources?limit=1000' })];
  for (const { text } of answers) expect(text).not.toContain('hush-hush');
  expect(answers[0]?.json()).toMatchObject({ verify_token_set: true });
  expect(JSON.stringify(created)).not.toContain('hush-hush');
});

test('pages, followed to the end, hold every source once, the oldest first', async () => {
  const created: string[] = [];
  for (let n = 0; n < 7; n += 1) created.push((await create({ name: `n${n}`, scheme: 'hookline' }, 'paged')).id);
  await api.ask({ method: 'DELETE', path: `/v1/sources/${created[3]}`, tenant: 'paged' });
  const kept = created.filter((_id, index) => index !== 3).sort();

  const pages: string[][] = [];
  for (let path: string | undefined = '/v1/sources?limit=2'; path !== undefined;) {
    const answer = await api.ask({ path, tenant: 'paged' });
    pages.push(answer.json<SourceJson[]>().map(({ id }) => id));
    path = nextPath(answer.headers.link);
  }
  expect(pages).toEqual([kept.slice(0, 2), kept.slice(2, 4), kept.slice(4)]);
});
