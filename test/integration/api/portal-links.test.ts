/** Links to the portal, their sessions, and what a customer sees and may do by them. */
import { systemClock } from '#lib/runtime';
import type { OpenApiDocument } from '../../../services/api/openapi/build-document.ts';
import type { Answer } from '../../unit/api/ask.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { createThings, type Things } from './openapi-world.ts';
import { allCapabilities as all, type Link, openPortalWorld, type PortalWorld } from './portal-world.ts';

let world: PortalWorld;
let api: OpenApi;
let customers: PortalWorld['customers'];
let mine: Things;
let theirs: Things;
beforeAll(async () => {
  world = await openPortalWorld();
  ({ api, customers } = world);
  mine = await createThings(api, 'mine');
  theirs = await createThings(api, 'theirs');
});
afterAll(() => world.close());

const createLink = (body: object = {}, tenant = 'mine'): Promise<Link> => world.createLink(tenant, body);
const redeem = (code: string, more: object = {}): Promise<Answer> => world.redeem(code, more);
async function openPortal(capabilities = all, tenant = 'mine') {
  const link = await createLink({ capabilities }, tenant);
  const redeemed = await redeem(link.code);
  expect([redeemed.status, redeemed.text]).toEqual([200, redeemed.text]);
  const { token } = redeemed.json<{ token: string }>();
  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    customers.ask({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
    });
  return { link, token, ask };
}

describe('a link', () => {
  test('is redeemed once, and asking whether it could be uses nothing up', async () => {
    const link = await createLink({ return_url: 'https://app.test/back', accent: '#1A5FB4' });
    expect(link.url).toBe(`https://portal.test/p/${link.code}`);
    for (let times = 0; times < 3; times += 1) {
      const asked = await redeem(link.code, { dry_run: true });
      expect([asked.status, asked.json()]).toMatchObject([
        200,
        { link: { status: 'open', accent: '#1a5fb4' }, session: null, token: null },
      ]);
    }
    const answers = await Promise.all([1, 2, 3].map(() => redeem(link.code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
    const redeemed = answers.find(({ status }) => status === 200)?.json();
    expect(redeemed).toMatchObject({
      link: { id: link.id, status: 'redeemed', tenant: 'mine' },
      session: { scopes: [], tenant: 'mine', portal: { link_id: link.id, return_url: 'https://app.test/back' } },
    });
    expect((await redeem(link.code, { dry_run: true })).status).toBe(410);
    // The code is nowhere.
    const rows = await api.postgres.query<{ text: string }>(
      'SELECT portal_links::text AS text FROM portal_links UNION ALL SELECT audit::text FROM audit',
    );
    expect(rows.filter(({ text }) => text.includes(link.code))).toEqual([]);
  });

  test('that is revoked, past its end or of a revoked key is 410; an unknown one is 404', async () => {
    const revoked = await createLink();
    const path = `/v1/portal-links/${revoked.id}`;
    expect((await api.ask({ method: 'DELETE', path, tenant: 'theirs' })).status).toBe(404);
    expect((await api.ask({ method: 'DELETE', path, tenant: 'mine' })).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await api.ask({ method, path, tenant: 'mine' })).status).toBe(410);
    const ended = await createLink();
    await api.postgres.query('UPDATE portal_links SET expires_at = clock_timestamp() WHERE id = $1', [ended.id]);
    const body = { name: 'k', scopes: ['admin'] };
    const key = (await api.ask({ method: 'POST', path: '/v1/api-keys', body, tenant: 'mine' })).json<{
      id: string;
      key: string;
    }>();
    const byKey = await api.ask({
      method: 'POST',
      path: '/v1/portal-links',
      body: { capabilities: ['view'] },
      headers: { authorization: `Bearer ${key.key}` },
    });
    const orphan = byKey.json<Link>();
    expect((await redeem(orphan.code, { dry_run: true })).status).toBe(200);
    await api.ask({ method: 'DELETE', path: `/v1/api-keys/${key.id}`, tenant: 'mine' });
    for (const { code } of [revoked, ended, orphan])
      for (const more of [{ dry_run: true }, {}]) expect((await redeem(code, more)).status).toBe(410);

    const { code } = await createLink();
    const last = code.endsWith('0') ? '1' : '0';
    const wrong = await Promise.all([`${code.slice(0, -1)}${last}`, 'x', ''].map((each) => redeem(each)));
    expect(new Set(wrong.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(wrong[0]?.status).toBe(404);
  });

  test('that is revoked ends its session', async () => {
    const { link, token, ask } = await openPortal();
    expect((await ask('GET', '/v1/endpoints')).status).toBe(200);
    await api.ask({ method: 'DELETE', path: `/v1/portal-links/${link.id}`, tenant: 'mine' });
    const deadline = Date.now() + 10_000;
    while ((await ask('GET', '/v1/endpoints')).status === 200 && Date.now() < deadline) await systemClock.sleep(100);
    expect([token.slice(0, 3), (await ask('GET', '/v1/endpoints')).status]).toEqual(['hs_', 401]);
  });

  test.each([
    [{ capabilities: ['replay'] }, '/capabilities'],
    [{ return_url: 'https://elsewhere.test/' }, '/return_url'],
    [{ accent: '#ffff00' }, '/accent'],
    [{ tenant: 'theirs' }, '/tenant'],
    [{ expires_in_seconds: 8 * 24 * 3_600 }, '/expires_in_seconds'],
  ])('is refused with %j', async (given, field) => {
    const body = { capabilities: ['view'], ...given };
    const answer = await api.ask({ method: 'POST', path: '/v1/portal-links', body, tenant: 'mine' });
    expect([answer.status, answer.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, field]);
  });
});

test('another tenant’s things are none, byte for byte, on every route that is open to a portal session', async () => {
  const { ask } = await openPortal();
  const document = (await api.ask({ path: '/openapi.json' })).json<OpenApiDocument>();
  await api.ask({ method: 'POST', path: '/v1/event-types', tenant: 'theirs', body: { name: 'theirs.type' } });
  const replay = await api.ask({
    method: 'POST',
    path: '/v1/dead-letters/replay',
    tenant: 'theirs',
    body: { stage: 'dispatcher' },
  });
  const ids: Readonly<Record<string, string>> = {
    sources: theirs.source,
    endpoints: theirs.endpoint,
    events: theirs.event,
    deliveries: theirs.waiting,
    'dead-letters': theirs.deadLetter,
    'api-keys': theirs.key,
    'event-types': 'theirs.type',
    tenants: 'theirs',
    replays: replay.json<{ id: string }>().id,
  };
  const bodies: Readonly<Record<string, object>> = {
    updateEndpoint: { description: 'mine' },
    recoverEndpoint: { since: '2020-01-01T00:00:00Z' },
  };
  const seen = { open: 0, closed: 0 };
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { operationId, security }] of Object.entries(methods)) {
      const theirId = ids[path.split('/')[2] ?? ''] ?? 'x';
      if (!/\{(?:id|name)\}/.test(path) || security.length === 0) continue;
      const never = theirId.includes('_') ? `${theirId.slice(0, -6)}zzzzzz` : 'never.type';
      const body = bodies[operationId] ?? (method === 'post' ? {} : undefined);
      const [of, none] = await Promise.all(
        [theirId, never].map((id) =>
          ask(method.toUpperCase(), path.replace(/\{(?:id|name)\}/, id).replace('{version}', '1'), body),
        ),
      );
      expect([operationId, [403, 404].includes(of?.status ?? 0)]).toEqual([operationId, true]);
      expect([operationId, of?.status, of?.text]).toEqual([operationId, none?.status, none?.text]);
      seen[of?.status === 404 ? 'open' : 'closed'] += 1;
    }
  expect([seen.open > 20, seen.closed > 15]).toEqual([true, true]);
});

describe('a customer', () => {
  test('makes an endpoint of url, types, filter and description, which is judged without the operator’s allowances', async () => {
    const { ask } = await openPortal();
    const created = await ask('POST', '/v1/endpoints', {
      url: 'https://customer.example/hook',
      event_types: ['order.*'],
      filter: { n: 1 },
      description: 'ours',
    });
    expect([created.status, created.json()]).toMatchObject([201, { url_by_portal: true, headers: {} }]);
    expect(created.json()).toHaveProperty('secret');
    for (const more of [
      { proxy: 'http://proxy.example:3128' },
      { headers: { 'X-A': 'a' } },
      { secret: `whsec_${'a'.repeat(32)}` },
      { timeout_ms: 100 },
      { source_ids: [] },
      { method: 'PUT' },
      { pass_headers: ['X-GitHub-*'] },
      { expires_in: 60 },
    ]) {
      const answer = await ask('POST', '/v1/endpoints', { url: 'https://customer.example/', ...more });
      const { errors } = answer.json<{ errors: { field: string }[] }>();
      expect([answer.status, errors.map(({ field }) => field)]).toEqual([400, [`/${Object.keys(more)[0]}`]]);
    }
    for (const url of ['http://customer.example/', 'https://127.0.0.1/', 'https://localhost/', 'https://10.0.0.7/']) {
      const answer = await ask('POST', '/v1/endpoints', { url });
      expect([url, answer.status, answer.json<{ code: string }>().code]).toEqual([url, 400, 'url_not_allowed']);
      const patched = await ask('PATCH', `/v1/endpoints/${created.json<{ id: string }>().id}`, { url });
      expect([url, patched.status, patched.json<{ code: string }>().code]).toEqual([url, 400, 'url_not_allowed']);
    }
  });

  test('whoever chooses the URL last gives it his rules', async () => {
    const { ask } = await openPortal();
    const byOperator = await api.ask({
      method: 'POST',
      path: '/v1/endpoints',
      tenant: 'mine',
      body: { url: 'https://operator.example/' },
    });
    const { id } = byOperator.json<{ id: string }>();
    const path = `/v1/endpoints/${id}`;
    const markOf = async () => (await ask('GET', path)).json<{ url_by_portal: boolean }>().url_by_portal;
    expect(await markOf()).toBe(false);
    expect((await ask('PATCH', path, { description: 'mine' })).status).toBe(200);
    expect(await markOf()).toBe(false);
    expect((await ask('PATCH', path, { url: 'https://customer.example/' })).status).toBe(200);
    expect(await markOf()).toBe(true);
    await api.ask({ method: 'PATCH', path, tenant: 'mine', body: { description: 'theirs' } });
    expect(await markOf()).toBe(true);
    await api.ask({ method: 'PATCH', path, tenant: 'mine', body: { url: 'https://operator.example/' } });
    expect(await markOf()).toBe(false);
  });

  test('sees neither headers, proxy nor certificate, and leads them nowhere else', async () => {
    const { ask } = await openPortal();
    const path = `/v1/endpoints/${mine.endpoint}`;
    const listed = (await ask('GET', '/v1/endpoints')).json<{ id: string }[]>();
    for (const shown of [(await ask('GET', path)).json(), listed.find(({ id }) => id === mine.endpoint)]) {
      expect(shown).toMatchObject({ id: mine.endpoint, headers: {} });
      for (const hidden of ['proxy', 'client_certificate']) expect(shown).not.toHaveProperty(hidden);
    }
    const moved = await ask('PATCH', path, { url: 'https://customer.example/' });
    expect([moved.status, moved.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, '/url']);
    expect((await ask('PATCH', path, { description: 'mine' })).status).toBe(200);
    const kept = (await api.ask({ path, tenant: 'mine' })).json();
    expect(kept).toMatchObject({ headers: { 'X-Api-Key': '***', 'X-Plain': 'a' }, description: 'mine' });
    expect(kept).toHaveProperty('proxy');
  });

  test('leads passed headers nowhere else: the provider’s credentials may be among them', async () => {
    const { ask } = await openPortal();
    const created = await ask('POST', '/v1/endpoints', { url: 'https://customer.example/hook' });
    const path = `/v1/endpoints/${created.json<{ id: string }>().id}`;
    for (const rules of [['Authorization'], ['X-GitHub-*']]) {
      await api.ask({ method: 'PATCH', path, tenant: 'mine', body: { pass_headers: rules } });
      for (const url of ['https://mine.example/', 'https://customer.example/other']) {
        const moved = await ask('PATCH', path, { url });
        expect([moved.status, moved.json<{ errors: { field: string }[] }>().errors[0]?.field]).toEqual([400, '/url']);
      }
    }
    await api.ask({ method: 'PATCH', path, tenant: 'mine', body: { pass_headers: null } });
    expect((await ask('PATCH', path, { url: 'https://mine.example/' })).status).toBe(200);
  });

  test('rotates a secret, and does not choose it', async () => {
    const { ask } = await openPortal();
    const path = `/v1/endpoints/${mine.endpoint}/rotate-secret`;
    expect((await ask('POST', path, { secret: `whsec_${'a'.repeat(32)}` })).status).toBe(400);
    expect((await ask('POST', path, { overlap_seconds: 0 })).json()).toHaveProperty('secret');
  });

  test('is not told from where the provider sends', async () => {
    const { ask } = await openPortal(['view']);
    const path = `/v1/events/${mine.event}/request`;
    expect((await api.ask({ path, tenant: 'mine' })).json()).toMatchObject({ client_address: '192.0.2.7' });
    const shown = await ask('GET', path);
    expect([shown.status, shown.json()]).toMatchObject([200, { client_address: null, method: 'POST' }]);
    expect(shown.text).not.toContain('192.0.2.7');
    expect((await ask('GET', `/v1/events/${mine.event}/receipts`)).status).toBe(403);
  });

  test('sees no header of an attempt that the operator set, nor one that tells where the provider sends from', async () => {
    const { ask } = await openPortal(['view']);
    const attempts = `/v1/deliveries/${mine.delivered}/attempts`;
    const sent = {
      method: 'POST',
      url: 'https://a.example/',
      headers: { 'x-internal-route': 'pod-7', 'webhook-id': 'evt_1' },
    };
    const answered = { server: 'nginx', 'set-cookie': 'a=b' };
    await api.postgres.query('UPDATE attempts SET request = $2, response_headers = $3 WHERE delivery_id = $1', [
      ...[mine.delivered, JSON.stringify(sent), JSON.stringify(answered)],
    ]);
    expect((await api.ask({ path: attempts, tenant: 'mine' })).json<object[]>()[0]).toMatchObject({
      request: sent,
      response_headers: { server: 'nginx', 'set-cookie': '***' },
    });
    const shown = await ask('GET', attempts);
    expect(shown.json<{ request: object }[]>()[0]?.request).toEqual({ ...sent, headers: { 'webhook-id': 'evt_1' } });
    expect(shown.text).not.toContain('internal-route');

    const path = `/v1/events/${mine.event}/request`;
    await api.postgres.query(
      `UPDATE event_payloads SET request = jsonb_set(request::jsonb, '{headers}', $2::jsonb)::json WHERE event_id = $1`,
      [
        mine.event,
        JSON.stringify([
          { name: 'X-Forwarded-For', value: '192.0.2.7' },
          { name: 'X-Github-Event', value: 'push' },
          { name: 'X-Api-Key', value: null },
        ]),
      ],
    );
    expect((await ask('GET', path)).json()).toMatchObject({
      headers: [
        { name: 'X-Github-Event', value: 'push' },
        { name: 'X-Api-Key', value: '***' },
      ],
    });
    expect((await api.ask({ path, tenant: 'mine' })).text).toContain('192.0.2.7');
  });

  test('is not told how the operator’s settings lead to its endpoint, wherever the reason of a failure is shown', async () => {
    const { ask } = await openPortal(['view', 'replay']);
    const detail = 'the proxy answered 407: it asks for other credentials';
    await api.postgres.query(
      `UPDATE attempts SET detail = $2, outcome = 'connect', at = clock_timestamp() WHERE tenant = $1`,
      ['mine', detail],
    );
    await api.postgres.query('UPDATE deliveries SET detail = $2, last_detail = $3 WHERE tenant = $1', [
      ...['mine', `exhausted: ${detail}`, detail],
    ]);
    const paths = [
      `/v1/deliveries/${mine.delivered}/attempts`,
      `/v1/deliveries/${mine.dead}`,
      '/v1/deliveries',
      `/v1/events/${mine.event}/deliveries`,
      `/v1/endpoints/${mine.endpoint}/health`,
    ];
    for (const path of paths) {
      const shown = await ask('GET', path);
      expect([path, shown.status, shown.text.includes('the connection failed')]).toEqual([path, 200, true]);
      expect([path, /proxy/i.test(shown.text)]).toEqual([path, false]);
      expect([path, (await api.ask({ path, tenant: 'mine' })).text.includes(detail)]).toEqual([path, true]);
    }
    const retried = await ask('POST', `/v1/deliveries/${mine.waiting}/retry`);
    expect([retried.status, retried.text.includes('proxy')]).toEqual([202, false]);
  });

  test('sees the types that are public or for the portal, and internal ones are none', async () => {
    for (const visibility of ['public', 'portal', 'internal']) {
      const body = { name: `seen.${visibility}`, visibility, schema: true };
      expect((await api.ask({ method: 'POST', path: '/v1/event-types', tenant: 'mine', body })).status).toBe(201);
    }
    const { ask } = await openPortal(['view']);
    const names = async (query = '') =>
      (await ask('GET', `/v1/event-types${query}`)).json<{ name: string }[]>().map(({ name }) => name);
    for (const query of ['', '?visibility=internal', '?visibility=portal'])
      expect([query, await names(query)]).toEqual([query, ['seen.portal', 'seen.public']]);
    expect(await names('?visibility=public')).toEqual(['seen.public']);
    for (const below of ['', '/versions', '/versions/1']) {
      expect((await ask('GET', `/v1/event-types/seen.portal${below}`)).status).toBe(200);
      const [internal, none] = await Promise.all(
        ['seen.internal', 'seen.nothing'].map((name) => ask('GET', `/v1/event-types/${name}${below}`)),
      );
      expect([internal?.status, internal?.text]).toEqual([404, none?.text]);
    }
  });

  test('shares no idempotency key with the operator', async () => {
    const { token } = await openPortal();
    const create = (authorization: string | undefined) =>
      (authorization === undefined ? api.ask : customers.ask)({
        method: 'POST',
        path: '/v1/endpoints',
        body: { url: 'https://same.example/' },
        tenant: 'mine',
        headers: {
          'idempotency-key': 'guessed',
          'content-type': 'application/json',
          ...(authorization !== undefined && { authorization }),
        },
      });
    const byOperator = await create(undefined);
    const byCustomer = await create(`Bearer ${token}`);
    expect([byOperator.status, byCustomer.status]).toEqual([201, 201]);
    expect(byCustomer.headers['idempotent-replayed']).toBeUndefined();
    expect(byCustomer.json<{ secret: string }>().secret).not.toBe(byOperator.json<{ secret: string }>().secret);
  });

  test('is in the audit as a session of the key of its link', async () => {
    const { link, ask } = await openPortal();
    const created = (await ask('POST', '/v1/endpoints', { url: 'https://audited.example/' })).json<{ id: string }>();
    const { session_id: session } = (await api.ask({ path: `/v1/portal-links/${link.id}`, tenant: 'mine' })).json<{
      session_id: string;
    }>();
    const entries = await api.ask({ path: `/v1/audit?actor=${session}`, tenant: 'mine' });
    expect(entries.json()).toMatchObject([
      { action: 'endpoint.create', resource_id: created.id, actor: { type: 'session', id: session, key_id: 'admin' } },
      { action: 'portal_link.redeem', resource_id: link.id },
    ]);
  });
});

test('open links count as sessions of the tenant', async () => {
  const limited = await openApi({ limits: { of: (_tenant, limit) => (limit === 'sessions' ? 1 : 1_000) } });
  const create = () =>
    limited.ask({ method: 'POST', path: '/v1/portal-links', body: { capabilities: ['view'] }, tenant: 'small' });
  expect((await create()).status).toBe(201);
  expect((await create()).json()).toMatchObject({ status: 429, limit: 'sessions' });
  await limited.close();
});
