import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { operatorToken, problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';

const key = {
  id: 'key_1',
  name: '<i>shop</i>',
  scopes: ['read', 'publish'],
  rate_limit: { per_second: 100, burst: 200 },
  created_at: '2026-01-01T00:00:00.000000Z',
  last_used_at: null,
};

const session = (id: string, more: object = {}) => ({
  id,
  tenant: 'acme',
  key_id: 'key_1',
  scopes: ['read'],
  redeemed: true,
  created_at: '2026-01-01T00:00:00.000000Z',
  expires_at: '2026-01-01T12:00:00.000000Z',
  idle_expires_at: '2026-01-01T02:00:00.000000Z',
  ...more,
});

describe('API keys', () => {
  test('are listed with what they may do and when they were used, and with the command for another one', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/api-keys', { body: [key] });
    const { statusCode, body } = await get('/t/acme/keys', tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('href="/t/acme/keys/key_1"><bdi>&lt;i&gt;shop&lt;/i&gt;</bdi>');
    expect(body).toContain('read, publish');
    expect(body).toContain('never');
    expect(body).toContain('./hookline api-keys create --name shop --scope publish --tenant acme');
  });

  test('that are not there are made by a command; a page beyond the last one is a 404', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/api-keys', { body: [] });
    const { statusCode, body } = await get('/t/acme/keys', tenantToken);
    expect([statusCode, body.match(/hookline api-keys create/g)?.length]).toEqual([200, 2]);
    expect((await get('/t/acme/keys?cursor=key_9', tenantToken)).statusCode).toBe(404);
  });

  test.each(['/t/acme/keys', '/t/acme/keys/key_1', '/t/acme/keys/key_1/revoke', '/t/acme/sessions', '/t/acme/audit'])(
    '%s needs the scope admin',
    async (url) => {
      const { get, api } = buildTestConsole();
      const { statusCode, body } = await get(url, readToken);
      expect([statusCode, body.includes('scope admin')]).toEqual([403, true]);
      expect(api.calls.map(({ path }) => path)).toEqual(['/v1/me']);
    },
  );

  test('have a page each, a 404 if there never was one, and a 410 after it was revoked', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/api-keys/key_1', { body: { ...key, rate_limit: { per_second: 10, burst: 20 } } });
    api.on('GET /v1/api-keys/key_2', problemReply(410, 'gone'));
    const { statusCode, body } = await get('/t/acme/keys/key_1', tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('<h1>&lt;i&gt;shop&lt;/i&gt;</h1>');
    expect(body).toContain('10 requests per second, bursts of 20');
    for (const below of ['', '/revoke']) {
      expect((await get(`/t/acme/keys/key_2${below}`, tenantToken)).statusCode).toBe(410);
      expect((await get(`/t/acme/keys/key_3${below}`, tenantToken)).statusCode).toBe(404);
    }
  });

  test('are revoked after a question, which warns of the own one', async () => {
    const { get, post, api } = buildTestConsole();
    api.on('GET /v1/api-keys/key_1', { body: key });
    api.on('GET /v1/api-keys/key_2', { body: { ...key, id: 'key_2' } });
    api.on('DELETE /v1/api-keys/key_1', { status: 204 });
    const question = await get('/t/acme/keys/key_1/revoke', tenantToken);
    expect(question.body).toContain('action="/t/acme/keys/key_1/revoke"');
    expect(question.body).toContain('you will be signed out');
    expect((await get('/t/acme/keys/key_2/revoke', tenantToken)).body).not.toContain('you will be signed out');
    const revoked = await post('/t/acme/keys/key_1/revoke', {}, tenantToken);
    expect([revoked.statusCode, revoked.headers.location]).toEqual([303, '/t/acme/keys']);
    expect(api.calls.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/api-keys/key_1' });
  });

  test('that a first click has revoked are so after the second one; unknown ones are a 404', async () => {
    const { post, api } = buildTestConsole();
    api.on('DELETE /v1/api-keys/key_1', problemReply(410, 'gone'));
    expect((await post('/t/acme/keys/key_1/revoke', {}, tenantToken)).statusCode).toBe(303);
    expect((await post('/t/acme/keys/key_9/revoke', {}, tenantToken)).statusCode).toBe(404);
    expect((await post('/t/acme/keys/key_1/revoke', {}, readToken)).statusCode).toBe(403);
  });
});

describe('sessions', () => {
  test('are listed, the own one marked: it is signed out of, the others are ended', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/sessions', { body: [session('ses_acme'), session('ses_2', { redeemed: false, key_id: 'admin' })] });
    const { statusCode, body } = await get('/t/acme/sessions', tenantToken);
    expect(statusCode).toBe(200);
    expect(body.match(/> yours</g)).toHaveLength(1);
    expect(body).toContain('href="/t/acme/keys/key_1"');
    expect(body).toContain('the operator’s key');
    expect(body).toContain('its code was not redeemed yet');
    expect(body).toContain('action="/t/acme/sessions/ses_2/end"');
    expect(body).not.toContain('/sessions/ses_acme/end');
  });

  test('are ended, also when they have ended already', async () => {
    const { post, api } = buildTestConsole();
    api.on('DELETE /v1/sessions/ses_2', { status: 204 });
    api.on('DELETE /v1/sessions/ses_3', problemReply(410, 'gone'));
    api.on('DELETE /v1/sessions/ses_4', problemReply(404, 'not_found'));
    for (const id of ['ses_2', 'ses_3']) {
      const { statusCode, headers } = await post(`/t/acme/sessions/${id}/end`, {}, tenantToken);
      expect([statusCode, headers.location]).toEqual([303, '/t/acme/sessions']);
    }
    expect((await post('/t/acme/sessions/ses_4/end', {}, tenantToken)).statusCode).toBe(404);
    expect((await post('/t/acme/sessions/ses_2/end', {}, readToken)).statusCode).toBe(403);
  });

  test('whoever ends the own one is signed out', async () => {
    const { post, get } = buildTestConsole();
    const { statusCode, headers } = await post('/t/acme/sessions/ses_acme/end', {}, tenantToken);
    expect([statusCode, headers.location, headers['clear-site-data']]).toEqual([303, '/', '"cache", "cookies"']);
    expect((await get('/t/acme/sessions', tenantToken)).statusCode).toBe(401);
  });

  test('of the operator are for all tenants, and shown to the operator alone', async () => {
    const { get, post, api } = buildTestConsole();
    api.on('GET /v1/sessions', { body: [session('ses_operator', { tenant: '*', key_id: 'admin' })] });
    api.on('DELETE /v1/sessions/ses_9', { status: 204 });
    const { statusCode, body } = await get('/sessions', operatorToken);
    expect([statusCode, body.includes('> yours<')]).toEqual([200, true]);
    expect(api.calls.at(-1)?.headers['hookline-tenant']).toBe('*');
    expect((await post('/sessions/ses_9/end', {}, operatorToken)).headers.location).toBe('/sessions');
    expect((await get('/sessions', tenantToken)).statusCode).toBe(403);
    expect((await post('/sessions/ses_9/end', {}, tenantToken)).statusCode).toBe(403);
    expect((await get('/t/acme/sessions', operatorToken)).body).toContain('href="/sessions"');
  });
});
