import { auditActions, type Operation, resources } from '#lib/api-contract';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, tenantToken } from '../../support/console/fake-api.ts';

const entry = (more: object) => ({
  id: 'aud_1',
  at: '2026-01-01T00:00:00.123456Z',
  actor: { type: 'session', id: 'ses_1', key_id: 'key_1' },
  action: 'endpoint.update',
  resource_id: 'ep_1',
  before: { url: 'https://old.example', headers: { 'X-Key': '***' } },
  after: { url: 'https://<b>new</b>.example', headers: null },
  request_id: 'req_1',
  ...more,
});

function buildAuditConsole() {
  const console = buildTestConsole();
  for (const kind of ['endpoints', 'sources']) console.api.on(`GET /v1/${kind}`, { body: [] });
  return console;
}

/** The markup of the change of each entry. */
const changes = (body: string): readonly string[] => body.match(/<details class="change".*?<\/details>/gs) ?? [];

test('the audit shows who changed what, before and after beside each other, and escapes all of it', async () => {
  const { get, api } = buildAuditConsole();
  api.on('GET /v1/audit', { body: [entry({})] });
  const { statusCode, body } = await get('/t/acme/audit', tenantToken);
  expect(statusCode).toBe(200);
  const [change = ''] = changes(body);
  expect(change).toContain(' open><summary>url, headers</summary>');
  expect(change).toMatch(
    /<dt>url<\/dt><dd>.*?https:\/\/old\.example<\/code><\/dd>\s*<dd>.*?https:\/\/&lt;b&gt;new&lt;\/b&gt;/s,
  );
  expect(change).toContain('&quot;***&quot;');
  expect(change).toContain('null');
  expect(body).toContain('href="/t/acme/audit?actor=ses_1"');
  expect(body).toContain('href="/t/acme/audit?actor=key_1"');
  expect(body).toContain('href="/t/acme/audit?resource=ep_1"');
  expect(body).toContain('datetime="2026-01-01T00:00:00.123456Z"');
});

test('of a creation or deletion there is one side, which a click opens', async () => {
  const { get, api } = buildAuditConsole();
  api.on('GET /v1/audit', {
    body: [
      entry({ action: 'source.create', before: null, after: { name: '' } }),
      entry({ action: 'source.delete', after: null }),
      entry({ action: 'session.end', before: null, after: null }),
    ],
  });
  const [created = '', deleted = '', none] = changes((await get('/t/acme/audit', tenantToken)).body);
  expect(created).toContain('<summary>1 field</summary>');
  expect(created).not.toContain('before');
  expect(created).toContain('<code>&quot;&quot;</code>');
  expect(deleted).not.toContain('after');
  expect(none).toBeUndefined();
});

test('what is there still is linked, what was deleted is text', async () => {
  const { get, api } = buildAuditConsole();
  api.on('GET /v1/endpoints', { body: [{ id: 'ep_1', url: 'https://crm.example' }] });
  api.on('GET /v1/audit', { body: [entry({}), entry({ resource_id: 'ep_2' }), entry({ resource_id: 'rpl_1' })] });
  const { body } = await get('/t/acme/audit', tenantToken);
  expect(body).toContain('href="/t/acme/endpoints/ep_1"');
  expect(body).not.toContain('/endpoints/ep_2');
  expect(body).toContain('href="/t/acme/replays/rpl_1"');
});

test('its filters go to the API as they are; without a result it is a 404 that keeps them', async () => {
  const { get, api } = buildAuditConsole();
  api.on('GET /v1/audit', { body: [] });
  const query = 'actor=key_1&action=endpoint.update&resource=ep_1&since=2026-01-01T00%3A00%3A00Z';
  const { statusCode, body } = await get(`/t/acme/audit?${query}`, tenantToken);
  expect(statusCode).toBe(404);
  expect(body).toContain('name="actor" value="key_1"');
  expect(body).toContain('<option value="endpoint.update" selected>');
  expect(api.calls.some(({ path }) => path === `/v1/audit?${query}`)).toBe(true);
  const all = await get('/t/acme/audit', tenantToken);
  expect([all.statusCode, all.body.includes('No change yet')]).toEqual([200, true]);
});

test('a filter that is wrong is a 400 with the message at its field', async () => {
  const { get, api } = buildAuditConsole();
  const errors = [{ field: 'since', message: 'must be RFC 3339' }];
  api.on('GET /v1/audit', problemReply(400, 'invalid_request', { errors }));
  const { statusCode, body } = await get('/t/acme/audit?since=x', tenantToken);
  expect(statusCode).toBe(400);
  expect(body).toMatch(/aria-invalid="true" aria-describedby="field-since-error" value="x"/);
});

test('every action that the API writes can be chosen', () => {
  const written = resources
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .flatMap(({ access: { audit } = {} }) => (typeof audit === 'string' ? [audit] : []));
  expect([...new Set(written)].sort()).toEqual([...auditActions].sort());
});
