import { randomBytes } from 'node:crypto';
import { createRateLimiter, createRedisBuckets } from '#lib/rate-limit';
import { createRedis } from '#lib/redis';
import { silentLogger, systemClock } from '#lib/runtime';
import { createKeyDirectory, type KeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { createKeyUses } from '../../../services/api/keys/key-uses.ts';
import { serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { buildTestApp } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { postgresThatGoesAway } from './postgres-that-goes-away.ts';

interface KeyJson {
  id: string;
  key?: string;
  [field: string]: unknown;
}

let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const create = async (body: object = {}, tenant = 'acme'): Promise<KeyJson & { key: string }> => {
  const answer = await api.ask({
    method: 'POST',
    path: '/v1/api-keys',
    body: { name: 'ci', scopes: ['read'], ...body },
    tenant,
  });
  expect(answer.status).toBe(201);
  return answer.json();
};
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** One more process: the app with keys of its own, on the same database, which is away when the test says so. */
async function startProcess(given: Parameters<typeof buildTestApp>[0] = {}) {
  const { state, ...databases } = postgresThatGoesAway(api.postgres);
  const keys: KeyDirectory = createKeyDirectory({ ...databases, clock: systemClock, log: silentLogger });
  await keys.start();
  const { ask } = buildTestApp({ postgres: databases.postgres, findKey: keys.find, ...given });
  return { ask, state, stop: () => keys.stop() };
}

test('a key is shown once, and what is kept is its hash', async () => {
  const answer = await api.ask({
    method: 'POST',
    path: '/v1/api-keys',
    body: { name: 'ci', scopes: ['read', 'publish'], rate_limit: { per_second: 5, burst: 10 } },
    tenant: 'acme',
  });
  expect(answer.status).toBe(201);
  const { key, ...shown } = answer.json<KeyJson>();
  expect(key).toMatch(/^hk_[0-9a-z]{26}_[0-9a-f]{64}$/);
  expect(shown).toEqual({
    id: `key_${key?.slice(3, 29)}`,
    name: 'ci',
    scopes: ['read', 'publish'],
    rate_limit: { per_second: 5, burst: 10 },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
    last_used_at: null,
  });
  expect(answer.headers.location).toBe(`/v1/api-keys/${shown.id}`);
  const read = await api.ask({ path: `/v1/api-keys/${shown.id}`, tenant: 'acme' });
  expect([read.json(), read.headers.etag]).toEqual([shown, answer.headers.etag]);
  const listed = await api.ask({ path: '/v1/api-keys', tenant: 'acme' });
  expect(listed.json()).toContainEqual(shown);
  const [stored] = await api.postgres.query<{ row: string }>(
    'SELECT row_to_json(k)::text AS row FROM api_keys k WHERE id = $1',
    [shown.id],
  );
  expect(stored?.row).not.toContain(key?.slice(30));
});

test.each([
  [{ name: 'x' }, '/scopes'],
  [{ scopes: ['read'] }, '/name'],
  [{ name: 'x', scopes: [] }, '/scopes'],
  [{ name: 'x', scopes: ['root'] }, '/scopes/0'],
  [{ name: 'x', scopes: ['read', 'read'] }, '/scopes'],
  [{ name: 'x', scopes: ['read'], rate_limit: { per_second: 0, burst: 1 } }, '/rate_limit/per_second'],
  // Above what the operator gives all keys of a tenant together.
  [{ name: 'x', scopes: ['read'], rate_limit: { per_second: 501, burst: 1 } }, '/rate_limit/per_second'],
  [{ name: 'x', scopes: ['read'], rate_limit: { per_second: 1, burst: 1_001 } }, '/rate_limit/burst'],
  [{ name: 'x', scopes: ['read'], tenant: 'other' }, '/tenant'],
])('%j is no key', async (body, field) => {
  const answer = await api.ask({ method: 'POST', path: '/v1/api-keys', body });
  expect(answer.status).toBe(400);
  expect(answer.json<{ errors: { field: string }[] }>().errors[0]?.field).toBe(field);
});

test('a key works at once, in every process, costs no query, and shows what its scopes and its tenant allow', async () => {
  const another = await startProcess();
  const { key } = await create({ scopes: ['read', 'write'] });
  const made = await api.ask({
    method: 'POST',
    path: '/v1/sources',
    body: { name: 'shop', scheme: 'hookline' },
    headers: bearer(key),
  });
  expect(made.status).toBe(201);
  const { id } = made.json<{ id: string }>();
  expect((await another.ask({ path: `/v1/sources/${id}`, headers: bearer(key) })).status).toBe(200);
  expect((await api.ask({ path: `/v1/sources/${id}`, tenant: 'acme' })).status).toBe(200);
  const others = await create({}, 'other');
  expect((await another.ask({ path: `/v1/sources/${id}`, headers: bearer(others.key) })).status).toBe(404);
  expect((await another.ask({ path: `/v1/api-keys/${others.id}`, headers: bearer(key) })).status).toBe(403);

  await another.stop();
  another.state.statements.length = 0;
  for (let turn = 0; turn < 20; turn += 1)
    expect((await another.ask({ path: '/v1/sources/x', headers: bearer(key) })).status).toBe(404);
  expect(another.state.statements).toEqual([]);
});

test('an admin key of a tenant makes and revokes the keys of its tenant, and sees no other', async () => {
  const { key, id } = await create({ scopes: ['admin'] }, 'one');
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const others = await create({}, 'two');
  const body = { name: 'second', scopes: ['admin'] };
  const second = await api.ask({ method: 'POST', path: '/v1/api-keys', headers, body });
  expect(second.status).toBe(201);
  const listed = await api.ask({ path: '/v1/api-keys', headers });
  expect(listed.json<KeyJson[]>().map((each) => each.id)).toEqual([id, second.json<KeyJson>().id].sort());
  for (const method of ['GET', 'DELETE'])
    expect((await api.ask({ method, path: `/v1/api-keys/${others.id}`, headers })).status).toBe(404);
  const named = { ...headers, 'hookline-tenant': 'two' };
  expect((await api.ask({ path: '/v1/api-keys', headers: named })).status).toBe(403);
});

test('a key that is revoked is let in nowhere within five seconds, and is 410', async () => {
  const processes = await Promise.all([startProcess(), startProcess()]);
  const { key, id } = await create();
  const asking = { path: '/v1/sources', headers: bearer(key) };
  for (const { ask } of processes) expect((await ask(asking)).status).toBe(200);

  expect((await api.ask({ method: 'DELETE', path: `/v1/api-keys/${id}`, tenant: 'acme' })).status).toBe(204);
  for (const { ask } of processes)
    await waitUntil('it is refused', async () => (await ask(asking)).status === 401, { timeoutMs: 5_000 });
  for (const method of ['GET', 'DELETE'])
    expect((await api.ask({ method, path: `/v1/api-keys/${id}`, tenant: 'acme' })).status).toBe(410);
  const listed = await api.ask({ path: '/v1/api-keys', tenant: 'acme' });
  expect(listed.json<KeyJson[]>().map((each) => each.id)).not.toContain(id);
  // A process that is started later has never known it.
  const late = await startProcess();
  expect((await late.ask(asking)).status).toBe(401);
  await Promise.all([...processes, late].map(({ stop }) => stop()));
});

test('while Postgres is away keys that are known are let in, and of others it can’t be told', async () => {
  const { key } = await create();
  const { ask, state, stop } = await startProcess();
  state.isAway = true;
  const unknown = (await create()).key;
  // An id that can be none: answered without the database.
  expect((await ask({ path: '/v1/sources/x', headers: bearer(key) })).status).toBe(404);
  expect((await ask({ path: '/v1/sources/x', headers: bearer(unknown) })).status).toBe(503);
  state.isAway = false;
  expect((await ask({ path: '/v1/sources/x', headers: bearer(unknown) })).status).toBe(404);
  await stop();
});

test('when it was last used is shown, and changes nothing else of it', async () => {
  const { key, id } = await create();
  const uses = createKeyUses({ postgres: api.postgres, clock: systemClock, log: silentLogger });
  await uses.start();
  const { ask, stop } = await startProcess({ keyUses: uses });
  const before = await api.ask({ path: `/v1/api-keys/${id}`, tenant: 'acme' });
  const beganAt = new Date().toISOString();
  await ask({ path: '/v1/sources', headers: bearer(key) });
  await uses.stop();
  const after = await api.ask({ path: `/v1/api-keys/${id}`, tenant: 'acme' });
  const { last_used_at: usedAt, ...rest } = after.json<KeyJson & { last_used_at: string }>();
  expect(usedAt >= beganAt).toBe(true);
  expect({ ...rest, last_used_at: null }).toEqual(before.json());
  expect(after.headers.etag).toBe(before.headers.etag);
  await stop();
});

test('the rate of a key is kept by all processes together', async () => {
  const redis = createRedis({
    url: serverAddresses().redisUrl,
    name: 'hookline-test',
    clock: systemClock,
    log: silentLogger,
    timeLimitMs: 1_000,
    startTimeoutMs: 5_000,
    optional: true,
  });
  await redis.start();
  const prefix = uniquePrefix('api-keys');
  const limiter = () => {
    const buckets = createRedisBuckets({ redis, prefix, processId: randomBytes(8).toString('hex') });
    return createRateLimiter({ buckets, clock: systemClock, log: silentLogger });
  };
  const processes = await Promise.all([startProcess({ limiter: limiter() }), startProcess({ limiter: limiter() })]);
  const { key } = await create({ rate_limit: { per_second: 0.01, burst: 10 } });
  const asking = { path: '/v1/sources', headers: bearer(key) };
  const answers = await Promise.all(processes.flatMap(({ ask }) => Array.from({ length: 20 }, () => ask(asking))));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([10, 30]);
  for (const refused of statuses.get(429) ?? []) expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
  await Promise.all(processes.map(({ stop }) => stop()));
  await redis.stop();
});
