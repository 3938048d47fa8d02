/** The portal before a fake API: who is let in, which pages are open, and what is said to whom is not. */
import type { Capability } from '#lib/api-contract';
import { networksOf } from '#lib/net';
import { portalPages } from '../../../services/console/pages.ts';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, tenantToken } from '../../support/console/fake-api.ts';
import { plainSettings } from '../../support/console/plain-settings.ts';

const token = `hs_${'7'.repeat(26)}_${'7'.repeat(64)}`;
const faces = ['console', 'portal'] as const;

function buildPortal(
  portal: { capabilities?: Capability[]; return_url?: string | null; accent?: string | null } = {},
  shown: readonly ('console' | 'catalog' | 'portal')[] = faces,
  deps: Parameters<typeof buildTestConsole>[0] = {},
) {
  const built = buildTestConsole({ ...deps, settings: { ...plainSettings, faces: shown } });
  const given = { capabilities: ['view'], return_url: null, accent: null, ...portal };
  const me = {
    credential: { type: 'session', id: 'ses_customer', key_id: 'key_1' },
    tenant: 'acme',
    all_tenants: false,
    scopes: [],
    portal: { link_id: 'lnk_1', ...given },
    expires_at: '2026-01-01T12:00:00.000000Z',
  };
  const ofTenant = {
    credential: { type: 'session', id: 'ses_acme', key_id: 'key_1' },
    tenant: 'acme',
    all_tenants: false,
    scopes: ['read', 'write', 'publish', 'admin'],
    portal: null,
    expires_at: '2026-01-01T12:00:00.000000Z',
  };
  built.api.on('GET /v1/me', ({ headers }) => ({
    body: headers['authorization'] === `Bearer ${token}` ? me : ofTenant,
  }));
  built.api.on('GET /v1/endpoints', { body: [] });
  return built;
}

const cookie = (value: string, name = 'hookline-portal') => ({ cookie: `${name}=${value}` });

/** Written out: a page that is opened to customers is opened here, too. */
const open: Readonly<Record<string, Capability>> = {
  'GET /portal': 'view',
  'GET /portal/verify/:language': 'view',
  'GET /portal/endpoints': 'view',
  'GET /portal/endpoints/:id': 'view',
  'GET /portal/deliveries': 'view',
  'GET /portal/deliveries/:id': 'view',
  'GET /portal/deliveries/:id/attempts/:n': 'view',
  'GET /portal/events': 'view',
  'GET /portal/events/:id': 'view',
  'GET /portal/events/:id/payload': 'view',
  'GET /portal/live/events': 'view',
  'GET /portal/replays': 'view',
  'GET /portal/replays/:id': 'view',
  'GET /portal/replays/:id/items': 'view',
  'GET /portal/live/replays/:id': 'view',
  'GET /portal/event-types': 'view',
  'GET /portal/event-types/:name': 'view',
  'GET /portal/event-types/:name/v/:version': 'view',
  'GET /portal/events/:id/replay': 'replay',
  'POST /portal/events/:id/replay': 'replay',
  'POST /portal/deliveries/:id/retry': 'replay',
  'GET /portal/replays/new': 'replay',
  'POST /portal/replays/new': 'replay',
  'GET /portal/replays/:id/cancel': 'replay',
  'POST /portal/replays/:id/cancel': 'replay',
  'GET /portal/endpoints/:id/recover': 'replay',
  'POST /portal/endpoints/:id/recover': 'replay',
  'GET /portal/endpoints/new': 'endpoints',
  'POST /portal/endpoints/new': 'endpoints',
  'GET /portal/endpoints/:id/edit': 'endpoints',
  'POST /portal/endpoints/:id/edit': 'endpoints',
  'GET /portal/endpoints/:id/test': 'endpoints',
  'POST /portal/endpoints/:id/test': 'endpoints',
  'GET /portal/endpoints/:id/pause': 'endpoints',
  'POST /portal/endpoints/:id/pause': 'endpoints',
  'POST /portal/endpoints/:id/probe': 'endpoints',
  'POST /portal/endpoints/:id/resume': 'endpoints',
  'POST /portal/endpoints/:id/enable': 'endpoints',
  'GET /portal/endpoints/:id/disable': 'endpoints',
  'POST /portal/endpoints/:id/disable': 'endpoints',
  'GET /portal/endpoints/:id/delete': 'endpoints',
  'POST /portal/endpoints/:id/delete': 'endpoints',
  'GET /portal/endpoints/:id/rotate': 'secrets',
  'POST /portal/endpoints/:id/rotate': 'secrets',
};
/** They need no session: a link is its own credential, and who leaves may have lost theirs. */
const withoutSession = ['GET /p/:code', 'POST /p/:code', 'POST /portal/session/end'];

test('the portal has these pages for these capabilities, and no other', () => {
  const found = portalPages.flatMap(({ path, handlers }) =>
    Object.entries(handlers).map(([method, { capability }]) => [`${method} ${path}`, capability] as const),
  );
  expect(Object.fromEntries(found)).toEqual({
    ...open,
    ...Object.fromEntries(withoutSession.map((line) => [line, undefined])),
  });
  expect(new Set(portalPages.map(({ face }) => face))).toEqual(new Set(['portal']));
});

describe('every page', () => {
  const all = Object.entries(open).map(([line, capability]) => {
    const [method = '', path = ''] = line.split(' ');
    return { line, method, url: path.replace(':language', 'node').replaceAll(/:\w+/g, '1'), capability };
  });

  test('without a session is a 401 that offers no sign-in and leads nowhere', async () => {
    const { send } = buildPortal();
    for (const { line, url } of all.filter(({ method }) => method === 'GET')) {
      const answer = await send({ method: 'GET', url });
      expect([line, answer.statusCode, answer.body.includes('API key')]).toEqual([line, 401, false]);
    }
  });

  test.each(['view', 'replay', 'endpoints', 'secrets'] as const)('is closed without %s', async (needed) => {
    const others = (['view', 'replay', 'endpoints', 'secrets'] as const).filter((one) => one !== needed);
    const { get, post } = buildPortal({ capabilities: [...others] });
    for (const { line, method, url } of all.filter(({ capability }) => capability === needed)) {
      const answer =
        method === 'GET' ? await get(url, undefined, cookie(token)) : await post(url, {}, undefined, cookie(token));
      expect([line, answer.statusCode]).toEqual([line, 403]);
      expect(answer.body).not.toContain('scope');
    }
  });
});

test('a customer’s session is none in the console, and an operator’s none in the portal, whatever the cookie', async () => {
  const { get } = buildPortal();
  expect((await get('/portal', undefined, cookie(token))).statusCode).toBe(200);
  expect((await get('/portal', undefined, cookie(tenantToken))).statusCode).toBe(401);
  expect((await get('/portal', undefined, cookie(token, 'hookline'))).statusCode).toBe(401);
  for (const path of ['/t/acme', '/t/acme/endpoints', '/tenants'])
    for (const name of ['hookline', 'hookline-portal'])
      expect([path, name, (await get(path, undefined, cookie(token, name))).statusCode]).toEqual([path, name, 401]);
  expect((await get('/t/acme/endpoints', tenantToken)).statusCode).toBe(200);
});

test('without the face there is no portal; with it alone no console', async () => {
  const console_ = buildPortal({}, ['console']);
  for (const url of ['/portal', '/p/hp_1', '/portal/accent/1a5fb4.css'])
    expect((await console_.get(url, undefined, cookie(token))).statusCode).toBe(404);
  const alone = buildPortal({}, ['portal']);
  for (const url of ['/', '/t/acme', '/tenants', '/session/code']) {
    const answer = await alone.get(url, undefined, cookie(token));
    expect([url, answer.statusCode, answer.body.includes('API key')]).toEqual([url, 404, false]);
  }
  expect((await alone.get('/portal', undefined, cookie(token))).statusCode).toBe(200);
});

test('a path that no page has is the portal’s own 404', async () => {
  const { get } = buildPortal();
  const answer = await get('/portal/sources', undefined, cookie(token));
  expect(answer.statusCode).toBe(404);
  expect(answer.body).toContain('href="/portal/endpoints"');
  expect(answer.body).not.toContain('/t/acme');
});

describe('opening a link', () => {
  const code = 'hp_code';
  const redeems = (portal: ReturnType<typeof buildPortal>, returnUrl: string | null = null): void =>
    portal.api.on('POST /v1/portal-links/redeem', ({ body = '' }) => ({
      body: { link: { return_url: returnUrl }, session: null, token: body.includes('dry_run') ? null : token },
    }));

  test('asks whether it could be, and redeems it only by its button', async () => {
    const portal = buildPortal();
    redeems(portal, 'https://app.example/back?a=1;b');
    const looked = await portal.get(`/p/${code}`);
    expect([looked.statusCode, looked.headers['set-cookie']]).toEqual([200, undefined]);
    expect(portal.api.calls.map(({ body }) => JSON.parse(body ?? '{}') as unknown)).toEqual([{ code, dry_run: true }]);
    expect(portal.api.calls[0]?.headers['authorization']).toBeUndefined();
    const opened = await portal.post(`/p/${code}`, {});
    expect([opened.statusCode, opened.headers.location]).toEqual([303, '/portal']);
    expect(opened.headers['set-cookie']).toEqual([
      `hookline-portal=${token}; Path=/; HttpOnly; SameSite=Lax`,
      `hookline-portal-return=${encodeURIComponent('https://app.example/back?a=1;b')}; Path=/; HttpOnly; SameSite=Lax`,
    ]);
    expect(opened.body + JSON.stringify(opened.headers)).not.toContain('hookline=');
  });

  test.each([
    [404, 'not_found', 404],
    [410, 'gone', 410],
    [503, 'unavailable', 503],
    [429, 'rate_limited', 429],
  ])('says what the API says: %d', async (status, problem, then) => {
    const portal = buildPortal();
    portal.api.on('POST /v1/portal-links/redeem', problemReply(status, problem));
    for (const answer of [await portal.get(`/p/${code}`), await portal.post(`/p/${code}`, {})])
      expect([answer.statusCode, answer.headers['set-cookie'], answer.headers.location]).toEqual([
        then,
        undefined,
        undefined,
      ]);
  });

  test('ten attempts a minute, as signing in', async () => {
    const portal = buildPortal();
    redeems(portal);
    for (let times = 0; times < 10; times += 1) await portal.post(`/p/${code}`, {});
    const answer = await portal.post(`/p/${code}`, {});
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '60']);
  });

  test('looks at links are counted apart, by the client’s own address, and take nothing from redeeming', async () => {
    const portal = buildPortal({}, faces, { trustedProxies: networksOf(['127.0.0.1']) });
    redeems(portal);
    const look = async (address: string) =>
      (await portal.get(`/p/${code}`, undefined, { 'x-forwarded-for': address })).statusCode;
    const looks: number[] = [];
    for (let times = 0; times < 160; times += 1) looks.push(await look(`2001:db8:1:2::${times.toString(16)}`));
    expect([
      looks.slice(0, 60).every((status) => status === 200),
      looks.slice(60).every((status) => status === 429),
    ]).toEqual([true, true]);
    expect(portal.api.calls).toHaveLength(60);
    expect(await look('2001:db8:1:3::1')).toBe(200);
    expect(portal.api.calls.at(-1)?.headers['x-forwarded-for']).toBe('2001:db8:1:3::1');
    expect((await portal.post(`/p/${code}`, {})).statusCode).toBe(303);
  });
});

test.each([
  ['https://app.example/back', true],
  ['http://app.example/', false],
  ['javascript:alert(1)', false],
  ['https://user@app.example/', false],
  ['%', false],
  ['', false],
])('the way back of the cookie %j is shown: %s', async (value, isShown) => {
  const { get } = buildPortal();
  const encoded = value === '%' ? value : encodeURIComponent(value);
  const answer = await get('/portal', undefined, cookie(encoded, 'hookline-portal-return'));
  expect(answer.statusCode).toBe(401);
  expect(answer.body.includes('class="way-back"')).toBe(isShown);
});

test('the accent is a file of its own, of a colour and nothing else', async () => {
  const { get } = buildPortal({ accent: '#1a5fb4' });
  expect((await get('/portal', undefined, cookie(token))).body).toContain('href="/portal/accent/1a5fb4.css"');
  const sheet = await get('/portal/accent/1a5fb4.css');
  expect([sheet.statusCode, sheet.headers['content-type'], sheet.body]).toEqual([
    ...[200, 'text/css; charset=utf-8'],
    ':root { --accent-strong: #1a5fb4; }\n',
  ]);
  for (const name of ['1a5fb', '1A5FB4', 'red', '1a5fb4%3b%7d'])
    expect([name, (await get(`/portal/accent/${name}.css`)).statusCode]).toEqual([name, 404]);
});

describe('embedding', () => {
  const https = { 'x-forwarded-proto': 'https' };
  const framed = { ...https, 'sec-fetch-dest': 'iframe' };
  const portal = (frameOrigins: readonly string[]) => {
    const built = buildTestConsole({
      settings: { ...plainSettings, faces, frameOrigins },
      trustedProxies: networksOf(['127.0.0.0/8']),
    });
    built.api.on('POST /v1/portal-links/redeem', { body: { link: { return_url: null }, token } });
    return built;
  };
  const policyOf = (answer: { headers: Readonly<Record<string, unknown>> }): string =>
    /frame-ancestors ([^;]*)/.exec(String(answer.headers['content-security-policy']))?.[1] ?? '';
  const origins = ['https://app.example', 'https://b.example:8443'];

  test('is for the pages of the portal alone, and for those origins', async () => {
    const { get } = portal(origins);
    for (const url of ['/p/hp_1', '/portal', '/portal/nowhere'])
      expect([url, policyOf(await get(url))]).toEqual([url, origins.join(' ')]);
    for (const url of ['/', '/t/acme', '/nowhere']) expect([url, policyOf(await get(url))]).toEqual([url, "'none'"]);
    expect(policyOf(await portal([]).get('/portal'))).toBe("'none'");
  });

  test.each([
    ['listed origins, https', origins, framed, 'SameSite=None; Partitioned; Secure'],
    ['listed origins, plain http', origins, { 'sec-fetch-dest': 'iframe' }, 'SameSite=Lax'],
    ['no origins, https', [], framed, 'SameSite=Lax; Secure'],
  ])('makes its cookies those of the page around: %s', async (_, given, headers, attributes) => {
    const { post } = portal(given);
    const probe = { cookie: '__Host-hookline-portal-probe=1' };
    const opened = await post('/p/hp_1', {}, undefined, { ...headers, ...probe });
    expect(opened.statusCode).toBe(303);
    const prefix = attributes.includes('Secure') ? '__Host-' : '';
    expect([opened.headers['set-cookie']].flat()[0]).toBe(
      `${prefix}hookline-portal=${token}; Path=/; HttpOnly; ${attributes}`,
    );
  });

  test('uses up no link in a browser that keeps no cookies there', async () => {
    const { get, post, api } = portal(origins);
    const looked = await get('/p/hp_1', undefined, framed);
    expect(looked.headers['set-cookie']).toBe(
      '__Host-hookline-portal-probe=1; Path=/; HttpOnly; SameSite=None; Partitioned; Secure',
    );
    expect((await get('/p/hp_1', undefined, https)).headers['set-cookie']).toBeUndefined();
    const calls = api.calls.length;
    const opened = await post('/p/hp_1', {}, undefined, framed);
    expect([opened.statusCode, opened.headers['set-cookie'], api.calls.length]).toEqual([409, undefined, calls]);
    expect(opened.body).toContain('href="/p/hp_1" target="_blank"');
  });
});

test('who leaves keeps the console, and is still signed in where the API did not answer', async () => {
  const portal = buildPortal();
  portal.api.on('DELETE /v1/sessions/ses_customer', { status: 204 });
  const left = await portal.post('/portal/session/end', {}, undefined, cookie(token));
  expect([left.statusCode, left.headers.location, left.headers['clear-site-data']]).toEqual([
    303,
    '/portal',
    '"cache"',
  ]);
  expect(left.headers['set-cookie']).toBe('hookline-portal=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
  portal.api.on('DELETE /v1/sessions/ses_customer', 'away');
  const failed = await portal.post('/portal/session/end', {}, undefined, cookie(token));
  expect([failed.statusCode, failed.headers['set-cookie']]).toEqual([503, undefined]);
});
