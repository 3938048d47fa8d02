import { html } from '#lib/html';
import { networksOf } from '#lib/net';
import { bytes, fragment, page, problem, seeOther } from '../../../services/console/page-result.ts';
import { operatorPage, publicPage, tenantPage } from '../../../services/console/page.ts';
import { pages, pagesOf } from '../../../services/console/pages.ts';
import { buildTestConsole, testAssets } from '../../support/console/build-test-console.ts';
import { operatorToken, problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';
import { plainSettings } from '../../support/console/plain-settings.ts';

const endpoint = {
  id: 'ep_01m84xk2v4q9nd1m0e6e0kxv7t',
  url: 'https://crm.example/hooks',
  description: '',
  event_types: [],
  created_at: '2026-01-01T00:00:00.123456Z',
  disabled_at: null,
  failing_since: null,
  paused_at: null,
};

describe('what a request gets', () => {
  const random = [
    '/x',
    '/x/y',
    '/t',
    '/t/acme/x',
    '/t/acme/endpoints/a/b',
    '/T/acme',
    '/t/acme/',
    '/t/acme/endpoints/',
  ];

  test.each(random)('%s is a 404, with and without a session', async (url) => {
    const { get, send, post } = buildTestConsole();
    for (const token of [undefined, tenantToken, operatorToken]) {
      const answer = await get(url, token);
      expect(answer.statusCode).toBe(404);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.body.match(/<h1>/g)).toHaveLength(1);
    }
    const head = await send({ method: 'HEAD', url });
    expect([head.statusCode, head.body]).toEqual([404, '']);
    expect((await post(url, {}, tenantToken)).statusCode).toBe(404);
  });

  test.each(['/t/%E0%A4%A', '/t/acme/%00', '/t/..%2f..', '/t/acme/endpoints%2f'])('so is %s', async (url) => {
    const { get } = buildTestConsole();
    expect((await get(url, tenantToken)).statusCode).toBe(404);
  });

  test('no route has a wildcard, and the app refuses one', () => {
    expect(pages.filter(({ path }) => path.includes('*'))).toEqual([]);
    const wild = publicPage({ path: '/files/*', title: '', get: { answer: () => problem(404) } });
    expect(() => buildTestConsole({ pages: [wild] })).toThrow('paths that are not known');
  });

  test.each([
    ['DELETE', '/t/acme/endpoints', 'GET, HEAD'],
    ['POST', '/t/acme/endpoints', 'GET, HEAD'],
    ['GET', '/session', 'POST'],
    ['PUT', '/session/code', 'GET, HEAD, POST'],
    ['OPTIONS', '/', 'GET, HEAD'],
    ['PROPFIND', '/theme', 'POST'],
  ])('%s %s is a 405 that names what is allowed, before a session is asked for', async (method, url, allow) => {
    const { send, api } = buildTestConsole();
    const answer = await send({ method: method, url });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    expect(api.calls).toEqual([]);
  });

  test('HEAD has the status and the headers of GET, and no body', async () => {
    const { send, get, api } = buildTestConsole();
    api.on('GET /v1/endpoints', { body: [endpoint] });
    const got = await get('/t/acme/endpoints', tenantToken);
    const head = await send({
      method: 'HEAD',
      url: '/t/acme/endpoints',
      headers: { cookie: `hookline=${tenantToken}` },
    });
    expect(got.statusCode).toBe(200);
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  test('another tenant’s page is byte for byte that of an id that never was', async () => {
    const one = tenantPage({
      path: '/endpoints/:id',
      title: 'Endpoint',
      section: 'endpoints',
      get: {
        answer: async ({ api, params }) =>
          page({ title: (await api.call('GET /v1/endpoints/:id', { params })).url, body: html`` }),
      },
    });
    const { get } = buildTestConsole({ pages: [one] });
    const unknown = await get('/t/acme/endpoints/ep_never', tenantToken);
    const foreign = await get('/t/other/endpoints/ep_1', tenantToken);
    const noPage = await get('/nothing/here', tenantToken);
    expect(unknown.statusCode).toBe(404);
    expect(foreign.statusCode).toBe(404);
    expect(foreign.body).toBe(unknown.body);
    expect(noPage.body).toBe(unknown.body);
    const headersOf = ({ headers }: typeof unknown) => ({ ...headers, 'x-request-id': '', date: '' });
    expect(headersOf(foreign)).toEqual(headersOf(unknown));
  });

  test('the operator sees every tenant, by the header that only the console adds', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/endpoints', { body: [] });
    expect((await get('/t/acme/endpoints', operatorToken)).statusCode).toBe(200);
    expect(api.calls.at(-1)?.headers['hookline-tenant']).toBe('acme');
    expect((await get('/t/acme/endpoints', tenantToken)).statusCode).toBe(200);
    expect(api.calls.at(-1)?.headers).not.toHaveProperty('hookline-tenant');
    expect((await get('/t/a%20b/endpoints', operatorToken)).statusCode).toBe(404);
  });

  test('a scope that the session lacks is named, and the handler not asked', async () => {
    const answer = jest.fn();
    const write = tenantPage({ path: '/w', title: 'W', post: { answer } });
    const operator = operatorPage({ path: '/system', title: 'System', get: { answer } });
    const { post, get } = buildTestConsole({ pages: [write, operator] });
    const refused = await post('/t/acme/w', {}, readToken);
    expect(refused.statusCode).toBe(403);
    expect(refused.body).toContain('does not have the scope write');
    expect((await get('/system', tenantToken)).body).toContain('scope operator');
    expect((await get('/system', tenantToken)).statusCode).toBe(403);
    expect(answer).not.toHaveBeenCalled();
  });

  test('a parameter that the page does not have is a 400', async () => {
    const { get } = buildTestConsole();
    const answer = await get('/t/acme/endpoints?staus=enabled', tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('<code>staus</code>');
  });
});

describe('a form', () => {
  const made: string[] = [];
  const form = tenantPage({
    path: '/things',
    title: 'Things',
    post: {
      async answer({ api, form, t }) {
        made.push(form.toString());
        await api.change('POST /v1/sources', { body: '{}' });
        await api.change('POST /v1/endpoints', { body: '{}' });
        return seeOther(`${t}/things/1`);
      },
    },
  });
  beforeEach(() => made.splice(0));

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ 'sec-fetch-site': 'none' }],
    [{ 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8082' }],
    [{ 'sec-fetch-site': '', origin: 'http://127.0.0.1:8082' }],
  ])('that does not come from our own pages is a 403, and nothing is done: %j', async (headers) => {
    const { post, api } = buildTestConsole({ pages: [form] });
    const answer = await post('/t/acme/things', {}, tenantToken, headers);
    expect(answer.statusCode).toBe(403);
    expect(answer.body).toContain('nothing was done');
    expect([made, api.calls]).toEqual([[], []]);
  });

  test.each([
    ['http://127.0.0.1:8082', 303],
    ['https://127.0.0.1:8082', 403],
    ['https://evil.example', 403],
    ['http://127.0.0.1:8083', 403],
    ['http://127.0.0.1:8082.evil.example', 403],
    ['null', 403],
    ['', 403],
    [undefined, 403],
  ])('without Sec-Fetch-Site is judged by its Origin: %j gets %i', async (origin, status) => {
    const { send } = buildTestConsole({ pages: [form] });
    const answer = await send({
      method: 'POST',
      url: '/t/acme/things',
      payload: 'idempotency_key=key-of-the-form',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `hookline=${tenantToken}`,
        ...(origin !== undefined && { origin }),
      },
    });
    expect(answer.statusCode).toBe(status);
    expect(made).toHaveLength(status === 303 ? 1 : 0);
  });

  test.each([
    ['https://console.example', 'http', 303],
    ['http://console.example', 'http', 403],
    ['http://console.example', 'https', 403],
  ])(
    'of a console that is public at https is not sent by a page over plain http: %j by %s gets %i',
    async (origin, proto, status) => {
      const { send } = buildTestConsole({
        pages: [form],
        origin: 'https://console.example',
        trustedProxies: networksOf(['127.0.0.1']),
      });
      const answer = await send({
        method: 'POST',
        url: '/t/acme/things',
        payload: 'idempotency_key=key-of-the-form',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          host: 'console.example',
          cookie: `__Host-hookline=${tenantToken}; hookline=${tenantToken}`,
          origin,
          'x-forwarded-proto': proto,
        },
      });
      expect(answer.statusCode).toBe(status);
    },
  );

  test.each([
    ['https://console.example', 'https', 303],
    ['http://console.example', 'https', 403],
    ['https://console.example', 'http', 403],
  ])('has the scheme that a trusted proxy forwards: %j by %s gets %i', async (origin, proto, status) => {
    const { send } = buildTestConsole({ pages: [form], trustedProxies: networksOf(['127.0.0.1']) });
    const answer = await send({
      method: 'POST',
      url: '/t/acme/things',
      payload: 'idempotency_key=key-of-the-form',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        host: 'console.example',
        cookie: `__Host-hookline=${tenantToken}; hookline=${tenantToken}`,
        origin,
        'x-forwarded-proto': proto,
      },
    });
    expect(answer.statusCode).toBe(status);
  });

  test('takes its Idempotency-Key to the API, and each further request has one of its own', async () => {
    const { post, api } = buildTestConsole({ pages: [form] });
    const answer = await post('/t/acme/things', { name: 'a', empty: '' }, tenantToken);
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe('/t/acme/things/1');
    expect(made).toEqual(['name=a&empty=']);
    const keys = api.calls.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    expect(keys).toEqual(['key-of-the-form', 'key-of-the-form.2']);
  });

  test.each([{ idempotency_key: '' }, { idempotency_key: 'short' }, { idempotency_key: 'with a space' }])(
    'without a good one does nothing: %j',
    async (fields) => {
      const { post } = buildTestConsole({ pages: [form] });
      expect((await post('/t/acme/things', fields, tenantToken)).statusCode).toBe(400);
      expect(made).toEqual([]);
    },
  );

  test('waits for the request of the same key that is running: a double click has one effect and one answer', async () => {
    const { post, api, clock } = buildTestConsole({ pages: [form] });
    let asked = 0;
    api.on('POST /v1/sources', () =>
      (asked += 1) === 1
        ? problemReply(409, 'idempotency_in_progress', { retryAfter: '1' })
        : { status: 201, body: {} },
    );
    const answering = post('/t/acme/things', {}, tenantToken);
    for (let step = 0; step < 5; step += 1) await clock.advance(250);
    expect((await answering).statusCode).toBe(303);
    expect(asked).toBe(2);
  });

  test('is no JSON, and has a limit', async () => {
    const { post } = buildTestConsole({ pages: [form] });
    const json = await post('/t/acme/things', {}, tenantToken, { 'content-type': 'application/json' });
    expect(json.statusCode).toBe(415);
    const large = await post('/t/acme/things', { payload: 'x'.repeat(256 * 1024) }, tenantToken);
    expect(large.statusCode).toBe(413);
  });

  test('is large where its page takes a payload, which are these', async () => {
    const large = pagesOf(['console', 'catalog', 'portal']).filter(({ takesPayload }) => takesPayload === true);
    expect(large.map(({ path }) => path).sort()).toEqual([
      '/portal/endpoints/:id/test',
      '/t/:tenant/endpoints/:id/test',
      '/t/:tenant/events/new',
      '/t/:tenant/sources/:id/sample',
      '/t/:tenant/sources/:id/verify',
    ]);
    const { post } = buildTestConsole();
    const answerOf = (bytes: number) => post('/t/acme/events/new', { payload: 'x'.repeat(bytes) }, tenantToken);
    expect((await answerOf(3 * 1024 * 1024)).statusCode).not.toBe(413);
    expect((await answerOf(4 * 1024 * 1024)).statusCode).toBe(413);
  });

  test('of somebody whose session has ended is the sign-in form', async () => {
    const { post } = buildTestConsole({ pages: [form] });
    const answer = await post('/t/acme/things', {}, 'hs_ended');
    expect(answer.statusCode).toBe(401);
    expect(answer.body).toContain('name="to" value="/"');
  });
});

describe('what the API answers', () => {
  const gets = tenantPage({
    path: '/x',
    title: 'X',
    get: {
      async answer({ api }) {
        await api.call('GET /v1/system');
        return page({ title: 'X', body: html`` });
      },
    },
  });

  test.each([
    [problemReply(404, 'not_found'), 404, {}],
    [problemReply(410, 'gone'), 410, {}],
    [problemReply(403, 'forbidden', { detail: 'The session does not have the scope admin' }), 403, {}],
    [problemReply(429, 'rate_limited', { retryAfter: '7' }), 429, { 'retry-after': '7' }],
    [problemReply(412, 'precondition_failed'), 412, {}],
    [problemReply(422, 'idempotency_key_reused'), 409, {}],
    [problemReply(500, 'internal_error'), 503, { 'retry-after': '5' }],
    [problemReply(503, 'unavailable', { retryAfter: '2' }), 503, { 'retry-after': '2' }],
    [{ status: 404, body: 'not JSON of ours' }, 503, { 'retry-after': '5' }],
    [{ status: 200, body: Buffer.from('<html>') }, 503, { 'retry-after': '5' }],
    ['away', 503, { 'retry-after': '5' }],
  ] as const)('%j becomes the page of %i', async (reply, status, headers) => {
    const { get, api } = buildTestConsole({ pages: [gets] });
    api.on('GET /v1/system', reply);
    const answer = await get('/t/acme/x', tenantToken);
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).toMatchObject(headers);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body.match(/<h1>/g)).toHaveLength(1);
    expect(answer.body).not.toMatch(/http-equiv/);
    if (status === 403) expect(answer.body).toContain('scope admin');
    if (status === 503) expect(answer.body).toContain(String(answer.headers['x-request-id']));
  });

  test('a page at a rate says when to try again; at a limit of the tenant, which limit it is, and no time', async () => {
    const { get, api } = buildTestConsole({ pages: [gets] });
    api.on('GET /v1/system', problemReply(429, 'rate_limited', { retryAfter: '7', detail: 'Above the rate' }));
    expect((await get('/t/acme/x', tenantToken)).body).toContain('Try again in 7 seconds.');
    api.on('GET /v1/system', problemReply(429, 'limit_reached', { detail: 'The tenant has 7 endpoints' }));
    const full = await get('/t/acme/x', tenantToken);
    expect([full.statusCode, full.headers['retry-after']]).toEqual([429, undefined]);
    expect(full.body).toContain('The tenant has 7 endpoints.');
    expect(full.body).not.toContain('Try again in');
  });

  test('a page for what is too large says how much may be sent, and one with many errors how many more there are', async () => {
    const { get, api } = buildTestConsole({ pages: [gets] });
    api.on('GET /v1/system', problemReply(413, 'payload_too_large', { detail: 'The body may have 4,096 bytes' }));
    expect((await get('/t/acme/x', tenantToken)).body).toContain('The body may have 4,096 bytes.');
    const errors = [{ field: '/a', message: 'is wrong' }];
    const body = { code: 'validation_failed', status: 400, errors, more_errors: 12 };
    api.on('GET /v1/system', { status: 400, headers: { 'content-type': 'application/problem+json' }, body });
    expect((await get('/t/acme/x', tenantToken)).body).toContain('<li>and 12 more</li>');
  });

  test('401 while the page is made is the sign-in form', async () => {
    const { get, api } = buildTestConsole({ pages: [gets] });
    api.on('GET /v1/system', problemReply(401, 'unauthorized'));
    const answer = await get('/t/acme/x', tenantToken);
    expect(answer.statusCode).toBe(401);
    expect(answer.body).toContain('name="to" value="/t/acme/x"');
  });

  test('when it cannot be told who asks, every page is a 503, never a 404', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/me', 'away');
    for (const url of ['/t/acme', '/t/acme/endpoints', '/t/other/endpoints'])
      expect((await get(url, tenantToken)).statusCode).toBe(503);
  });

  test('an operator whose usual tenant was deleted still gets in', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/me', ({ headers }) =>
      headers['hookline-tenant'] === '*'
        ? { body: { credential: { type: 'session', id: 's' }, tenant: '*', all_tenants: true, scopes: ['admin'] } }
        : problemReply(410, 'gone'),
    );
    expect((await get('/t/acme', operatorToken)).statusCode).toBe(200);
  });

  test('a mistake of ours is a 500 that names the request', async () => {
    const broken = tenantPage({
      path: '/x',
      title: 'X',
      get: {
        answer: () => {
          throw new Error('<secret>');
        },
      },
    });
    const { get } = buildTestConsole({ pages: [broken] });
    const answer = await get('/t/acme/x', tenantToken);
    expect(answer.statusCode).toBe(500);
    expect(answer.body).toContain(String(answer.headers['x-request-id']));
    expect(answer.body).not.toContain('secret');
  });
});

describe('headers', () => {
  test.each(['/', '/nothing', '/t/acme', '/session', '/assets/x/y'])('of %s let nothing in', async (url) => {
    const { get } = buildTestConsole();
    const { headers } = await get(url, tenantToken);
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-store',
    });
    const policy = String(headers['content-security-policy']);
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy).toContain(rule);
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers['x-request-id']).toMatch(/^req_/);
  });

  test('no document has a script or a style within, or an address of another host', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/endpoints', { body: [endpoint] });
    for (const url of ['/', '/t/acme', '/t/acme/endpoints', '/nothing']) {
      const { body } = await get(url, tenantToken);
      expect(body).not.toMatch(/<script(?![^>]* src="\/assets\/)|<style| style=| on[a-z]+=|(?:src|href)="(?!\/|#)/);
    }
  });

  test('bytes that are saved or shown are never run', async () => {
    const raw = tenantPage({
      path: '/raw',
      title: 'Raw',
      get: { query: ['raw'], answer: ({ query }) => bytes(Buffer.from([0, 255]), 'a"b.json', query.has('raw')) },
    });
    const { get } = buildTestConsole({ pages: [raw] });
    const saved = await get('/t/acme/raw', tenantToken);
    expect(saved.rawPayload).toEqual(Buffer.from([0, 255]));
    expect(saved.headers['content-type']).toBe('application/octet-stream');
    expect(saved.headers['content-disposition']).toBe('attachment; filename="a_b.json"');
    expect((await get('/t/acme/raw?raw=1', tenantToken)).headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('a fragment has its own status and headers, and nothing around it', async () => {
    const rows = tenantPage({
      path: '/live/x',
      title: 'X',
      get: { answer: () => fragment(html`<tr></tr>`, { headers: { 'x-cursor': 'a' } }) },
    });
    const { get } = buildTestConsole({ pages: [rows] });
    const answer = await get('/t/acme/live/x', tenantToken);
    expect([answer.statusCode, answer.body, answer.headers['x-cursor']]).toEqual([200, '<tr></tr>', 'a']);
    expect((await get('/t/acme/live/x')).statusCode).toBe(401);
  });

  test('a redirect leads to no other place, even by mistake', async () => {
    const away = tenantPage({ path: '/away', title: '', get: { answer: () => seeOther('//evil.example') } });
    const { get } = buildTestConsole({ pages: [away] });
    const answer = await get('/t/acme/away', tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([500, undefined]);
  });
});

describe('files', () => {
  test('are kept for ever under the hash of their content', async () => {
    const { get } = buildTestConsole();
    for (const name of testAssets.names) {
      const answer = await get(testAssets.path(name), undefined, { 'accept-encoding': 'gzip, br' });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(answer.headers['content-encoding']).toBe('gzip');
    }
    const [, hash = ''] = /^\/assets\/([\w-]+)\//.exec(testAssets.path('console.css')) ?? [];
    expect((await get(`/assets/${hash}/missing.js`)).statusCode).toBe(404);
    expect((await get('/assets/other/console.css')).statusCode).toBe(404);
  });

  test('that browsers run have no types, and import one another by the same hash', async () => {
    const { get } = buildTestConsole();
    const { body, headers } = await get(testAssets.path('everywhere.js'));
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(body).toContain("import './copy-button.js';");
    const scripts = testAssets.names.filter((name) => name.endsWith('.js'));
    for (const name of scripts) {
      const script = (await get(testAssets.path(name))).body;
      expect(script).not.toMatch(/\.ts'|: (void|string|number)\b|\binterface\b/);
      for (const [, imported = ''] of script.matchAll(/'\.\/([\w-]+\.js)'/g)) expect(scripts).toContain(imported);
    }
  });

  test('fit their budgets', async () => {
    const { get } = buildTestConsole();
    const sizeOf = async (name: string): Promise<number> =>
      (await get(testAssets.path(name), undefined, { 'accept-encoding': 'gzip' })).rawPayload.length;
    const sizes = await Promise.all(testAssets.names.filter((name) => name.endsWith('.js')).map(sizeOf));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(20_000);
    expect(await sizeOf('console.css')).toBeLessThan(12_000);
  });
});

describe('below a path of the public URL', () => {
  const given = {
    origin: 'https://example.com',
    settings: { ...plainSettings, base: '/hooks', faces: ['console'] as const },
  };

  test('all links and redirects begin with it', async () => {
    const { get, post, api } = buildTestConsole(given);
    api.on('GET /v1/endpoints', { body: [endpoint] });
    const cookie = { cookie: `__Host-hookline=${tenantToken}` };
    const { body, statusCode } = await get('/hooks/t/acme/endpoints', undefined, cookie);
    expect(statusCode).toBe(200);
    for (const [, path] of body.matchAll(/(?:href|src|action)="([^"#]+)"/g)) expect(path).toMatch(/^\/hooks\//);
    expect((await get('/t/acme/endpoints', undefined, cookie)).statusCode).toBe(404);
    const theme = await post('/hooks/theme', { theme: 'dark', to: '/hooks/t/acme' });
    expect(theme.headers.location).toBe('/hooks/t/acme');
    expect((await post('/hooks/theme', { theme: 'dark', to: '/elsewhere' })).headers.location).toBe('/hooks/');
  });

  test('an Origin is judged by the public one too', async () => {
    const { send } = buildTestConsole(given);
    const answer = await send({
      method: 'POST',
      url: '/hooks/theme',
      payload: 'theme=dark',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://example.com' },
    });
    expect(answer.statusCode).toBe(303);
  });
});

test('the theme that was chosen is in the document, and in no script', async () => {
  const { post, get } = buildTestConsole();
  const answer = await post('/theme', { theme: 'dark', to: '/t/acme?x=1' });
  expect(answer.headers.location).toBe('/t/acme?x=1');
  expect(answer.headers['set-cookie']).toMatch(/^hookline-theme=dark; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
  const dark = await get('/', undefined, { cookie: 'hookline-theme=dark' });
  expect(dark.body).toContain('<html lang="en" data-theme="dark">');
  expect((await get('/', undefined, { cookie: 'hookline-theme=<x>' })).body).toContain('<html lang="en">');
  expect((await post('/theme', { theme: 'system', to: '/' })).headers['set-cookie']).toContain('Max-Age=0');
});
