import { silentLogger, systemClock } from '#lib/runtime';
import { createKeyDirectory } from '../../../services/api/keys/key-directory.ts';
import { createOperatorKeys, type OperatorKeys } from '../../../services/api/keys/operator-keys.ts';
import { createSessionDirectory } from '../../../services/api/keys/session-directory.ts';
import { createSessionUses } from '../../../services/api/keys/session-uses.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { adminKey, buildTestApp, testEncryptionKeys, testOperatorKeys } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { postgresThatGoesAway } from './postgres-that-goes-away.ts';

interface Session {
  id: string;
  tenant: string;
  token: string;
  code: string;
  expires_at: string;
  idle_expires_at: string;
}

let api: OpenApi;
let first: Awaited<ReturnType<typeof startProcess>>;
beforeAll(async () => {
  api = await openApi();
  first = await startProcess();
});
const running = new Set<{ stop(): Promise<void> }>();
afterAll(async () => {
  for (const process of running) await process.stop();
  await api.close();
});

/** A process of the API with its own memory, on the same database, which is away when the test says so. */
async function startProcess({
  operatorKeys = testOperatorKeys,
  ...given
}: { operatorKeys?: OperatorKeys } & Parameters<typeof buildTestApp>[0] = {}) {
  const { state, ...databases } = postgresThatGoesAway(api.postgres);
  const deps = { ...databases, clock: systemClock, log: silentLogger };
  const keys = createKeyDirectory(deps);
  const uses = createSessionUses(deps);
  const sessions = createSessionDirectory({ ...deps, findKeyById: keys.findById, operatorKeys, uses });
  const parts = [keys, sessions, uses];
  for (const part of parts) await part.start();
  const { ask } = buildTestApp({
    postgres: databases.postgres,
    operatorKeys,
    findKey: keys.find,
    findSession: sessions.find,
    clock: systemClock,
    ...given,
  });
  const process = {
    ask: (asking: Parameters<typeof ask>[0] & { as?: string; tenant?: string }) =>
      ask({
        ...asking,
        headers: {
          ...(asking.as !== undefined && { authorization: `Bearer ${asking.as}` }),
          ...(asking.tenant !== undefined && { 'hookline-tenant': asking.tenant }),
          ...(asking.body !== undefined && { 'content-type': 'application/json' }),
          ...asking.headers,
        },
      }),
    state,
    async stop() {
      running.delete(process);
      for (const part of parts.toReversed()) await part.stop();
    },
  };
  running.add(process);
  return process;
}

async function createKey(scopes = ['admin'], tenant = 'acme'): Promise<{ id: string; key: string }> {
  const answer = await api.ask({ method: 'POST', path: '/v1/api-keys', body: { name: 'k', scopes }, tenant });
  expect(answer.status).toBe(201);
  return answer.json();
}

const post = (as: string, body: object, tenant?: string) =>
  first.ask({ method: 'POST', path: '/v1/sessions', as, body, ...(tenant !== undefined && { tenant }) });

async function createSession(as: string, body: object = {}, tenant?: string): Promise<Session> {
  const answer = await post(as, body, tenant);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.json();
}
const statusOf = async (process: typeof first, token: string, path = '/v1/sources', tenant?: string) =>
  (await process.ask({ path, as: token, ...(tenant !== undefined && { tenant }) })).status;

test('a key becomes a token, which is shown once, kept as a hash, and known at once in every process', async () => {
  const { key, id } = await createKey();
  const { token, ...session } = await createSession(key, { scopes: ['read'] });
  expect(token).toMatch(/^hs_[0-9a-z]{26}_[0-9a-f]{64}$/);
  expect(session).toMatchObject({ tenant: 'acme', key_id: id, scopes: ['read'], code: null });
  const hours = (Date.parse(session.expires_at) - Date.now()) / 3_600_000;
  const idleHours = (Date.parse(session.idle_expires_at) - Date.now()) / 3_600_000;
  expect([Math.round(hours), Math.round(idleHours)]).toEqual([12, 2]);

  const another = await startProcess();
  expect(await statusOf(another, token)).toBe(200);
  const listed = await first.ask({ path: '/v1/sessions', as: key });
  expect(listed.json<Session[]>().map((each) => each.id)).toContain(session.id);
  const [stored] = await api.postgres.query<{ row: string }>(
    'SELECT row_to_json(s)::text AS row FROM sessions s WHERE id = $1',
    [session.id],
  );
  for (const shown of [listed.text, stored?.row ?? '']) expect(shown).not.toContain(token.slice(30));
  await another.stop();
});

test('a session costs no query once it is known, and works on while Postgres is away', async () => {
  const { key } = await createKey();
  const { token } = await createSession(key);
  const process = await startProcess();
  expect(await statusOf(process, token)).toBe(200);
  await process.stop();
  process.state.statements.length = 0;
  process.state.isAway = true;
  for (let turn = 0; turn < 20; turn += 1) expect(await statusOf(process, token, '/v1/me')).toBe(200);
  expect(process.state.statements).toEqual([]);
});

test('a session has no scope that its key does not have, and only its own tenant', async () => {
  const { key } = await createKey(['admin', 'read']);
  const reading = await createSession(key, { scopes: ['read'] });
  expect(await statusOf(first, reading.token)).toBe(200);
  const created = { method: 'POST', path: '/v1/sources', body: { name: 's', scheme: 'hookline' } };
  const refused = await first.ask({ ...created, as: reading.token });
  expect([refused.status, refused.json()]).toMatchObject([
    403,
    { detail: 'The session does not have the scope write' },
  ]);
  expect(await statusOf(first, reading.token, '/v1/sources', 'other')).toBe(403);

  for (const [body, field] of [
    [{ tenant: 'other' }, '/tenant'],
    [{ tenant: '*' }, '/tenant'],
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['root'] }, '/scopes/0'],
    [{ expires_in_seconds: 12 * 3_600 + 1 }, '/expires_in_seconds'],
    [{ idle: 1 }, '/idle'],
  ] as const) {
    const answer = await post(key, body);
    expect([answer.status, answer.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
  }
  const weak = await createKey(['read', 'write', 'publish']);
  expect((await post(weak.key, {})).json()).toMatchObject({
    status: 403,
    detail: 'The key does not have the scope admin',
  });
});

test('a session makes no sessions and no keys, whatever its scopes', async () => {
  const { key } = await createKey();
  const { token } = await createSession(key);
  expect((await post(token, {})).json()).toMatchObject({
    status: 403,
    detail: 'A session can’t make sessions: use the key itself',
  });
  const answer = await first.ask({
    method: 'POST',
    path: '/v1/api-keys',
    as: token,
    body: { name: 'k', scopes: ['read'] },
  });
  expect(answer.json()).toMatchObject({ status: 403, detail: 'A session can’t make keys: use the key itself' });
});

test('a session ends within five seconds in every process: by itself, by an admin, and with its key', async () => {
  const another = await startProcess();
  const until401 = (token: string) =>
    waitUntil('it is refused', async () => (await statusOf(another, token)) === 401, { timeoutMs: 30_000 });
  const end = (id: string, as: string) => first.ask({ method: 'DELETE', path: `/v1/sessions/${id}`, as });
  const { key, id: keyId } = await createKey();

  const itself = await createSession(key, { scopes: ['read'] });
  const others = await createSession(key, { scopes: ['read'] });
  for (const { token } of [itself, others]) expect(await statusOf(another, token)).toBe(200);
  const refused = await end(others.id, itself.token);
  expect(refused.json()).toMatchObject({ status: 403, detail: 'The session does not have the scope admin' });
  expect((await end(itself.id, itself.token)).status).toBe(204);
  await until401(itself.token);
  expect((await end(itself.id, key)).status).toBe(410);
  expect((await end(others.id, key)).status).toBe(204);
  await until401(others.token);

  const withKey = await createSession(key);
  expect(await statusOf(another, withKey.token)).toBe(200);
  expect((await api.ask({ method: 'DELETE', path: `/v1/api-keys/${keyId}`, tenant: 'acme' })).status).toBe(204);
  await until401(withKey.token);
  const admin = await createKey();
  const open = (await first.ask({ path: '/v1/sessions', as: admin.key })).json<Session[]>().map(({ id }) => id);
  for (const { id } of [itself, others, withKey]) expect(open).not.toContain(id);
  expect((await end(withKey.id, admin.key)).status).toBe(410);
  await another.stop();
});

test('another tenant’s session looks like none', async () => {
  const { key } = await createKey();
  const others = await createKey(['admin'], 'other');
  const { id } = await createSession(others.key);
  const ask = (path: string) => first.ask({ method: 'DELETE', path, as: key });
  const [of, none] = [await ask(`/v1/sessions/${id}`), await ask(`/v1/sessions/${id.slice(0, -4)}0000`)];
  expect([of.status, of.text]).toEqual([404, none.text]);
  expect((await first.ask({ path: '/v1/sessions', as: others.key })).json<Session[]>()).toHaveLength(1);
});

describe('a code', () => {
  const redeem = (code: unknown, process = first) =>
    process.ask({ method: 'POST', path: '/v1/sessions/redeem', body: { code } });

  test('is redeemed once, without a key, for a token that is known at once', async () => {
    const { key } = await createKey();
    const { id, code, token: none } = await createSession(key, { code: true, scopes: ['read'] });
    expect([code.slice(0, 3), none]).toEqual(['hc_', null]);
    expect(await statusOf(first, code)).toBe(401);
    const another = await startProcess();
    const answers = await Promise.all([redeem(code), redeem(code), redeem(code, another), redeem(code, another)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const redeemed = answers.find(({ status }) => status === 200)?.json<Session>();
    expect(redeemed).toMatchObject({ id, tenant: 'acme', scopes: ['read'], code: null });
    for (const process of [first, another]) expect(await statusOf(process, redeemed?.token ?? '')).toBe(200);
    await another.stop();
  });

  test('is refused in the same words when it is wrong, too old, ended, of a revoked key, or no code at all', async () => {
    const { key, id: keyId } = await createKey();
    const [old, ended, wrong, orphan] = (await Promise.all(
      Array.from({ length: 4 }, () => createSession(key, { code: true })),
    )) as [Session, Session, Session, Session];
    await api.postgres.query('UPDATE sessions SET code_expires_at = clock_timestamp() WHERE id = $1', [old.id]);
    await first.ask({ method: 'DELETE', path: `/v1/sessions/${ended.id}`, as: key });
    await api.ask({ method: 'DELETE', path: `/v1/api-keys/${keyId}`, tenant: 'acme' });
    const token = await createSession((await createKey()).key);
    const last = wrong.code.endsWith('0') ? '1' : '0';
    const codes = [old.code, ended.code, `${wrong.code.slice(0, -1)}${last}`, orphan.code, token.token, 'x', ''];
    const answers = await Promise.all(codes.map((code) => redeem(code)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect((await redeem(1)).status).toBe(400);
  });

  test('that nobody redeems in time makes room for others', async () => {
    const { key } = await createKey(['admin'], 'forgetful');
    const { id } = await createSession(key, { code: true });
    await api.postgres.query('UPDATE sessions SET code_expires_at = clock_timestamp() WHERE id = $1', [id]);
    await createSession(key, { code: true });
    const rows = await api.postgres.query(`SELECT id FROM sessions WHERE tenant = 'forgetful'`);
    expect([rows.length, rows.some((row) => (row as { id?: string }).id === id)]).toEqual([1, false]);
  });

  test('is not tried for as often as one likes', async () => {
    const asked: string[] = [];
    const process = await startProcess({
      limiter: { take: async (bucket) => (asked.push(bucket), { granted: false, retryAfterMs: 1_500 }) },
    });
    process.state.statements.length = 0;
    const answer = await redeem('hc_x', process);
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '2']);
    expect(asked).toEqual(['redeem:session:127.0.0.1']);
    expect(process.state.statements.filter((text) => text.includes('FOR UPDATE'))).toEqual([]);
    await process.stop();
  });
});

test('a session shares the rate, the idempotency keys and the last use of its key', async () => {
  const { key, id } = await createKey();
  const { token } = await createSession(key);
  const buckets: string[] = [];
  const noted: string[] = [];
  const process = await startProcess({
    limiter: { take: async (bucket) => (buckets.push(bucket), { granted: true }) },
    keyUses: { note: (used) => void noted.push(used.id) },
  });
  const create = (as: string) =>
    process.ask({
      method: 'POST',
      path: '/v1/sources',
      as,
      body: { name: 's', scheme: 'hookline' },
      headers: { 'idempotency-key': 'shared' },
    });
  const [one, two] = [await create(key), await create(token)];
  expect([two.headers['idempotent-replayed'], two.text]).toEqual(['true', one.text]);
  expect(buckets).toEqual([`acme:${id}`, 'acme', `acme:${id}`, 'acme']);
  expect(noted).toEqual([id, id]);
  await process.stop();
});

describe('the ends of a session', () => {
  const setEnds = (id: string, ends: string) =>
    api.postgres.query(`UPDATE sessions SET ${ends}, changed_at = clock_timestamp() WHERE id = $1`, [id]);

  test.each([
    ['its end', `expires_at = clock_timestamp() + interval '1 second'`],
    ['two hours without use', `idle_expires_at = clock_timestamp() + interval '1 second'`],
  ])('%s: then it is 401, and 410 for who asks about it', async (_what, ends) => {
    const { key } = await createKey();
    const { id, token } = await createSession(key);
    await setEnds(id, ends);
    const process = await startProcess();
    await waitUntil('it has ended', async () => {
      const [row] = await api.postgres.query<{ ended: boolean }>(
        'SELECT least(expires_at, idle_expires_at) < clock_timestamp() AS ended FROM sessions WHERE id = $1',
        [id],
      );
      return row?.ended === true;
    });
    expect(await statusOf(process, token)).toBe(401);
    expect((await first.ask({ method: 'DELETE', path: `/v1/sessions/${id}`, as: key })).status).toBe(410);
    await process.stop();
  });

  test('each use moves the idle end, which other processes learn, and not the end', async () => {
    const { key } = await createKey();
    const { id, token, expires_at } = await createSession(key);
    await setEnds(id, `idle_expires_at = clock_timestamp() + interval '30 seconds'`);
    const process = await startProcess();
    expect(await statusOf(process, token)).toBe(200);
    await process.stop();
    const shown = (await first.ask({ path: '/v1/sessions', as: key })).json<Session[]>().find((each) => each.id === id);
    expect(Date.parse(shown?.idle_expires_at ?? '') - Date.now()).toBeGreaterThan(7_000_000);
    expect(shown?.expires_at).toBe(expires_at);
  });
});

describe('the operator', () => {
  test('makes a session for one tenant, or for all', async () => {
    const one = await createSession(adminKey, {}, 'acme');
    expect(one).toMatchObject({ tenant: 'acme', key_id: 'admin', scopes: ['read', 'write', 'publish', 'admin'] });
    expect(await statusOf(first, one.token, '/v1/sources', 'other')).toBe(403);
    expect(await statusOf(first, one.token, '/v1/tenants')).toBe(403);

    const all = await createSession(adminKey, { tenant: '*', scopes: ['read', 'admin'] });
    expect(all.tenant).toBe('*');
    for (const tenant of ['acme', 'other']) expect(await statusOf(first, all.token, '/v1/sources', tenant)).toBe(200);
    expect(await statusOf(first, all.token, '/v1/tenants')).toBe(200);
    const ids = async (tenant: string) =>
      (await first.ask({ path: '/v1/sessions', as: adminKey, tenant })).json<Session[]>().map(({ id }) => id);
    expect(await ids('*')).toEqual([all.id]);
    expect(await ids('acme')).toContain(one.id);
    // A key of the tenant may end what acts in its tenant, and does not see the operator’s.
    const { key } = await createKey();
    const end = (id: string, as: string) => first.ask({ method: 'DELETE', path: `/v1/sessions/${id}`, as });
    expect((await end(all.id, key)).status).toBe(404);
    expect((await end(one.id, key)).status).toBe(204);
    expect((await end(all.id, all.token)).status).toBe(204);
    const audit = await first.ask({ path: '/v1/audit?limit=2', as: adminKey, tenant: '*' });
    expect(audit.json()).toMatchObject([
      { action: 'session.end', resource_id: all.id, actor: { type: 'session', id: all.id, key_id: 'admin' } },
      { action: 'session.create', resource_id: all.id, actor: { type: 'operator', id: 'admin' } },
    ]);
  });

  test('changes its key: both count meanwhile, and sessions end with theirs', async () => {
    const newKey = 'another-admin-key-for-tests';
    const keysOf = (adminKey: string, adminKeys: string[]) =>
      createOperatorKeys({ adminKey, adminKeys }, testEncryptionKeys);
    const both = await startProcess({ operatorKeys: keysOf(adminKey, [newKey]) });
    const sessionBy = async (as: string) =>
      (await both.ask({ method: 'POST', path: '/v1/sessions', as, body: {} })).json<Session>();
    const [byOld, byNew] = [await sessionBy(adminKey), await sessionBy(newKey)];
    for (const token of [byOld.token, byNew.token, adminKey, newKey]) expect(await statusOf(both, token)).toBe(200);
    const after = await startProcess({ operatorKeys: keysOf(newKey, []) });
    expect(
      await Promise.all([byOld.token, byNew.token, adminKey, newKey].map((token) => statusOf(after, token))),
    ).toEqual([401, 200, 401, 200]);
    await both.stop();
    await after.stop();
  });
});

test('me is who asks, with its ends', async () => {
  const { key, id } = await createKey(['read', 'admin']);
  const { token, id: sessionId, expires_at } = await createSession(key, { scopes: ['publish'] });
  const me = async (as: string, tenant?: string) =>
    (await first.ask({ path: '/v1/me', as, ...(tenant !== undefined && { tenant }) })).json<Record<string, unknown>>();
  const noEnds = { portal: null, expires_at: null, idle_expires_at: null };
  expect(await me(key)).toEqual({
    credential: { type: 'key', id, key_id: id },
    tenant: 'acme',
    all_tenants: false,
    scopes: ['read', 'admin'],
    ...noEnds,
  });
  expect(await me(token)).toMatchObject({
    credential: { type: 'session', id: sessionId, key_id: id },
    tenant: 'acme',
    all_tenants: false,
    scopes: ['publish'],
    expires_at,
  });
  expect(await me(adminKey, 'other')).toEqual({
    credential: { type: 'operator', id: 'admin', key_id: 'admin' },
    tenant: 'other',
    all_tenants: true,
    scopes: ['read', 'write', 'publish', 'admin'],
    ...noEnds,
  });
});

test('a tenant has so many sessions, and the next is 429', async () => {
  const limits = { of: (_tenant: string, limit: string) => (limit === 'sessions' ? 2 : 1_000) };
  const process = await startProcess({ limits });
  const { key } = await createKey(['admin'], 'crowded');
  const make = () => process.ask({ method: 'POST', path: '/v1/sessions', as: key, body: {} });
  const [one] = [(await make()).json<Session>(), await make()];
  expect((await make()).json()).toMatchObject({ status: 429, code: 'limit_reached', limit: 'sessions' });
  await process.ask({ method: 'DELETE', path: `/v1/sessions/${one.id}`, as: key });
  expect((await make()).status).toBe(201);
  await process.stop();
});
