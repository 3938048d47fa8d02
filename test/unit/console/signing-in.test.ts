import { buildTestConsole } from '../../support/console/build-test-console.ts';
import {
  adminKey,
  operatorToken,
  problemReply,
  readKey,
  tenantKey,
  tenantToken,
} from '../../support/console/fake-api.ts';
import { plainSettings } from '../../support/console/plain-settings.ts';

test('a page without a session is the sign-in form, at its own address, with 401', async () => {
  const { get } = buildTestConsole();
  const answer = await get('/t/acme/endpoints?status=enabled');
  expect(answer.statusCode).toBe(401);
  expect(answer.headers['www-authenticate']).toBeDefined();
  expect(answer.body).toContain('<form class="card stack" method="post" action="/session">');
  expect(answer.body).toContain('name="to" value="/t/acme/endpoints?status=enabled"');
});

test('a key makes a session, and the wanted page follows', async () => {
  const { post, api } = buildTestConsole();
  const answer = await post('/session', { key: tenantKey, to: '/t/acme/endpoints?status=enabled' });
  expect(answer.statusCode).toBe(303);
  expect(answer.headers.location).toBe('/t/acme/endpoints?status=enabled');
  expect(answer.headers['set-cookie']).toBe(`hookline=${tenantToken}; Path=/; HttpOnly; SameSite=Lax`);
  const made = api.calls.find(({ path, method }) => method === 'POST' && path === '/v1/sessions');
  expect(made?.headers).toMatchObject({ authorization: `Bearer ${tenantKey}`, 'idempotency-key': 'key-of-the-form' });
  expect(JSON.parse(made?.body ?? '')).toEqual({});
  expect(`${answer.body}${JSON.stringify(answer.headers)}`).not.toContain(tenantKey);
});

test('the operator’s key makes a session for all tenants', async () => {
  const { post, api } = buildTestConsole();
  const answer = await post('/session', { key: adminKey, to: '/' });
  expect(answer.headers.location).toBe('/t/default');
  expect(answer.headers['set-cookie']).toContain(`hookline=${operatorToken};`);
  expect(JSON.parse(api.calls.at(-1)?.body ?? '')).toEqual({ tenant: '*' });
});

test('a session that only looks has the scope read alone', async () => {
  const { post, api } = buildTestConsole();
  await post('/session', { key: tenantKey, to: '/', read_only: '1' });
  expect(JSON.parse(api.calls.at(-1)?.body ?? '')).toEqual({ scopes: ['read'] });
});

test('a session’s own token is taken as it is', async () => {
  const { post, api } = buildTestConsole();
  const answer = await post('/session', { key: tenantToken, to: '/' });
  expect(answer.headers['set-cookie']).toContain(`hookline=${tenantToken};`);
  expect(api.calls.map(({ method }) => method)).toEqual(['GET']);
});

test.each([
  ['over https, by the public URL', { origin: 'https://hooks.example' }],
  [
    'over https, with a path',
    {
      origin: 'https://hooks.example',
      settings: { ...plainSettings, faces: ['console' as const] },
    },
  ],
])('the cookie is bound to the host and to TLS %s', async (_, given) => {
  const { post, get } = buildTestConsole(given);
  const answer = await post('/session', { key: tenantKey, to: '/' });
  expect(answer.headers['set-cookie']).toBe(`__Host-hookline=${tenantToken}; Path=/; HttpOnly; SameSite=Lax; Secure`);
  expect((await get('/t/acme', tenantToken)).statusCode).toBe(401);
  expect((await get('/t/acme', undefined, { cookie: `__Host-hookline=${tenantToken}` })).statusCode).toBe(200);
});

test('only the token of a session is taken from the cookie, not a key', async () => {
  const { get } = buildTestConsole();
  expect((await get('/t/acme', adminKey)).statusCode).toBe(401);
  expect((await get('/t/acme', 'hs_unknown')).statusCode).toBe(401);
});

test.each([
  ['an unknown key', { key: 'nobody-has-this-key' }, 401, 'This key is not valid'],
  ['a key without the scope for sessions', { key: readKey }, 403, 'does not have the scope admin'],
  ['no key', { key: ' ' }, 400, 'Enter a key'],
  ['a key with a line break', { key: 'a\nb' }, 400, 'Enter a key'],
])('%s shows the form again, with what is wrong at the field', async (_, fields, status, message) => {
  const { post } = buildTestConsole();
  const answer = await post('/session', { ...fields, to: '/t/acme' });
  expect(answer.statusCode).toBe(status);
  expect(answer.body).toContain(message);
  expect(answer.body).toContain('aria-describedby="key-error"');
  expect(answer.body).toContain('name="to" value="/t/acme"');
  expect(answer.headers['set-cookie']).toBeUndefined();
});

test('while the API is away nobody is told that their key is wrong', async () => {
  const { post, api } = buildTestConsole();
  api.on('GET /v1/me', 'away');
  const answer = await post('/session', { key: tenantKey, to: '/' });
  expect(answer.statusCode).toBe(503);
  expect(answer.headers['retry-after']).toBe('5');
});

const elsewhere = [
  '//evil.example',
  'https://evil.example/',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  'evil.example',
  'javascript:alert(1)',
  '/../..//evil.example',
  '',
];

test.each(elsewhere)('signing in leads to no other place: %j', async (to) => {
  const { post } = buildTestConsole();
  const { location } = (await post('/session', { key: tenantKey, to })).headers;
  expect(new URL(String(location), 'http://127.0.0.1:8082').origin).toBe('http://127.0.0.1:8082');
  expect(location).toMatch(/^\/[^/\\]/);
});

test.each(elsewhere)('nor does choosing a theme: %j', async (to) => {
  const { post } = buildTestConsole();
  const { location } = (await post('/theme', { theme: 'dark', to })).headers;
  expect(location).toMatch(/^\/([^/\\]|$)/);
});

test('the eleventh attempt within a minute from one address is a 429, others sign in', async () => {
  const { post, clock, api } = buildTestConsole();
  for (let count = 0; count < 10; count += 1) await post('/session', { key: 'wrong', to: '/' });
  const calls = api.calls.length;
  const answer = await post('/session', { key: tenantKey, to: '/' });
  expect(answer.statusCode).toBe(429);
  expect(answer.headers['retry-after']).toBe('60');
  expect(api.calls).toHaveLength(calls);
  await clock.advance(60_000);
  expect((await post('/session', { key: tenantKey, to: '/' })).statusCode).toBe(303);
});

describe('a link with a code', () => {
  test('is not used up by looking at it', async () => {
    const { get, api } = buildTestConsole();
    const answer = await get('/session/code?code=hc_good');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('<input type="hidden" name="code" value="hc_good">');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(api.calls).toEqual([]);
  });

  test('signs in by its button', async () => {
    const { post } = buildTestConsole();
    const answer = await post('/session/code', { code: 'hc_good' });
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe('/t/acme');
    expect(answer.headers['set-cookie']).toContain(tenantToken);
  });

  test('leads to its page, also by a key when the code was used', async () => {
    const { get, post } = buildTestConsole();
    const to = '/t/acme/events?type=order.paid';
    const shown = await get(`/session/code?${new URLSearchParams({ code: 'hc_good', to }).toString()}`);
    expect(shown.body).toContain(`<input type="hidden" name="to" value="${to}">`);
    expect((await post('/session/code', { code: 'hc_good', to })).headers.location).toBe(to);
    const used = await post('/session/code', { code: 'hc_used', to });
    expect(used.statusCode).toBe(401);
    expect(used.body).toContain(`name="to" value="${to}"`);
  });

  test('stays below the base of the console', async () => {
    const { post } = buildTestConsole({ settings: { ...plainSettings, faces: ['console'], base: '/hooks' } });
    const follow = async (to: string) => (await post('/hooks/session/code', { code: 'hc_good', to })).headers.location;
    expect(await follow('/hooks/t/acme/events')).toBe('/hooks/t/acme/events');
    expect(await follow('/t/acme/events')).toBeUndefined();
    expect(await follow('/hooks/../elsewhere')).toBeUndefined();
  });

  test.each([...elsewhere.filter((to) => to !== ''), '/t//evil.example'])(
    'is refused with a page elsewhere, and its code is not used: %j',
    async (to) => {
      const { get, post, api } = buildTestConsole();
      const answers = [
        await get(`/session/code?${new URLSearchParams({ code: 'hc_good', to }).toString()}`),
        await post('/session/code', { code: 'hc_good', to }),
      ];
      for (const { statusCode, headers, body } of answers) {
        expect([statusCode, headers.location, headers['set-cookie']]).toEqual([400, undefined, undefined]);
        expect(body).toContain('<code>to</code> must be a path of this console');
      }
      expect(api.calls).toEqual([]);
    },
  );

  test.each([
    ['that was used', 'hc_used', 401],
    ['that is none', '"><script>', 400],
  ])('%s shows the sign-in form', async (_, code, status) => {
    const { post, get } = buildTestConsole();
    expect((await post('/session/code', { code })).statusCode).toBe(status);
    if (status === 400) expect((await get(`/session/code?code=${encodeURIComponent(code)}`)).statusCode).toBe(400);
  });
});

describe('signing out', () => {
  test('ends the session at the API, and has the browser forget it', async () => {
    const { post, get, api } = buildTestConsole();
    const answer = await post('/session/end', {}, tenantToken);
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe('/');
    expect(answer.headers['clear-site-data']).toBe('"cache", "cookies"');
    expect(answer.headers['set-cookie']).toContain('hookline=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
    expect(api.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/sessions/ses_acme' });
    expect((await get('/t/acme', tenantToken)).statusCode).toBe(401);
  });

  test('of nobody is no error', async () => {
    const { post } = buildTestConsole();
    expect((await post('/session/end', {})).statusCode).toBe(303);
  });

  test.each(['away', problemReply(503, 'unavailable')] as const)(
    'says so when the API could not end the session: %j',
    async (reply) => {
      const { post, api } = buildTestConsole();
      api.on('DELETE /v1/sessions/ses_acme', reply);
      const answer = await post('/session/end', {}, tenantToken);
      expect(answer.statusCode).toBe(503);
      expect(answer.body).toContain('You are still signed in');
      expect(answer.headers['set-cookie']).toBeUndefined();
    },
  );
});

test('who is signed in sees where to go on at the first page', async () => {
  const { get, api } = buildTestConsole();
  expect((await get('/')).statusCode).toBe(200);
  expect((await get('/')).body).toContain('action="/session"');
  expect((await get('/', tenantToken)).body).toContain('href="/t/acme"');
  expect((await get('/', operatorToken)).body).toContain('href="/tenants"');
  api.on('GET /v1/me', 'away');
  expect((await get('/', tenantToken)).statusCode).toBe(503);
});
