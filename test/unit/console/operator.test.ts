import { limitNames } from '#lib/tenancy';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { operatorToken, problemReply, tenantToken } from '../../support/console/fake-api.ts';

const limits = Object.fromEntries(limitNames.map((limit) => [limit, 100]));
const tenant = {
  id: 'acme',
  name: '<b>Acme</b>',
  limits: { ...limits, endpoints: 50_000 },
  own_limits: { endpoints: 50_000 },
  counts: { sources: 4, endpoints: 6, api_keys: 0, source_bytes: 2_578, endpoint_bytes: 4_005 },
};
const state = JSON.stringify(['<b>Acme</b>', [['endpoints', 50_000]]]);

const deletion = {
  id: 'ers_1',
  tenant: 'acme',
  status: 'running',
  as_of: '2026-01-01T00:00:00.000000Z',
  events: 12,
  removed: { delivery_attempts: 40 },
  dropped: 0,
  kafka: null,
  kept_until: null,
  created_at: '2026-01-01T00:00:00.000000Z',
  completed_at: null,
};

function buildWithTenants() {
  const console = buildTestConsole();
  console.api.on('GET /v1/tenants', { body: [{ ...tenant, id: 'abc', name: '', own_limits: {} }, tenant] });
  console.api.on('GET /v1/tenants/acme', { body: tenant });
  console.api.on('GET /v1/audit', { body: [] });
  return console;
}

describe('pages of the operator', () => {
  test.each(['/tenants', '/tenants/acme', '/tenants/acme/delete', '/system'])(
    '%s are a 403 for others',
    async (url) => {
      const { get, post, api } = buildWithTenants();
      const { statusCode, body } = await get(url, tenantToken);
      expect([statusCode, body.includes('scope operator')]).toEqual([403, true]);
      if (url !== '/system') expect((await post(url, {}, tenantToken)).statusCode).toBe(403);
      expect((await get(url)).statusCode).toBe(401);
      expect(api.calls.every(({ path }) => path === '/v1/me')).toBe(true);
    },
  );
});

describe('tenants', () => {
  test('are listed with what they have, and lead to their overviews', async () => {
    const { get, api } = buildWithTenants();
    const { statusCode, body } = await get('/tenants', operatorToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('<a href="/t/acme">acme</a>');
    expect(body).toContain('&lt;b&gt;Acme&lt;/b&gt;');
    expect(body).toContain('6 <span class="muted">of 50,000</span>');
    expect(body).toContain('href="/tenants/acme"');
    expect(api.calls.at(-1)?.headers['hookline-tenant']).toBe('*');
  });

  test('are named by a form, which keeps the limits that are set', async () => {
    const { post, api } = buildWithTenants();
    api.on('PUT /v1/tenants/acme', { body: tenant });
    const { statusCode, headers } = await post('/tenants', { id: 'acme', name: 'Acme Ltd' }, operatorToken);
    expect([statusCode, headers.location]).toEqual([303, '/tenants/acme']);
    expect(JSON.parse(api.calls.at(-1)?.body ?? '')).toEqual({ name: 'Acme Ltd', limits: { endpoints: 50_000 } });
  });

  test('keep their limits while these can’t be read: the form is a 503', async () => {
    const { post, api } = buildWithTenants();
    api.on('GET /v1/tenants/acme', 'away');
    expect((await post('/tenants', { id: 'acme', name: 'Acme Ltd' }, operatorToken)).statusCode).toBe(503);
    expect(api.calls.some(({ method }) => method === 'PUT')).toBe(false);
  });

  test('of an id that can’t be one are a 400 with what was entered', async () => {
    const { post, api } = buildWithTenants();
    const { statusCode, body } = await post('/tenants', { id: 'a b', name: 'N' }, operatorToken);
    expect(statusCode).toBe(400);
    expect(body).toContain('id="field-id-error"');
    expect(body).toContain('value="a b"');
    expect(api.calls.some(({ method }) => method === 'PUT')).toBe(false);
  });

  test('have a page with a field for each limit', async () => {
    const { get } = buildWithTenants();
    const { statusCode, body } = await get('/tenants/acme', operatorToken);
    expect(statusCode).toBe(200);
    for (const limit of limitNames) expect(body).toContain(`name="limits/${limit}"`);
    expect(body).toMatch(/name="limits\/endpoints"|value="50000"/);
    expect(body).toContain('Has 4.');
  });

  test('are a 404 if there never was one, and a 410 if it was deleted', async () => {
    const { get, post, api } = buildWithTenants();
    const form = { name: '', state: '', confirm: '' };
    for (const url of ['/tenants/never', '/tenants/never/delete']) {
      expect((await get(url, operatorToken)).statusCode).toBe(404);
      expect((await post(url, form, operatorToken)).statusCode).toBe(404);
    }
    api.on('GET /v1/audit', { body: [{ at: '2026-01-01T00:00:00.000000Z' }] });
    for (const url of ['/tenants/never', '/tenants/never/delete']) {
      const { statusCode, body } = await get(url, operatorToken);
      expect([statusCode, body.includes('was deleted at 2026-01-01')]).toEqual([410, true]);
    }
    expect(api.calls.at(-1)?.path).toBe('/v1/audit?action=tenant.delete&resource=never&limit=1');
  });

  test('are saved with their own limits alone: empty fields are not sent', async () => {
    const { post, api } = buildWithTenants();
    api.on('PUT /v1/tenants/acme', { body: tenant });
    const fields = { name: 'Acme', state, 'limits/endpoints': '60000', 'limits/sources': '', 'limits/replays': ' 5 ' };
    const { statusCode, headers } = await post('/tenants/acme', fields, operatorToken);
    expect([statusCode, headers.location]).toEqual([303, '/tenants/acme']);
    expect(JSON.parse(api.calls.at(-1)?.body ?? '')).toEqual({
      name: 'Acme',
      limits: { endpoints: 60_000, replays: 5 },
    });
  });

  test('with a wrong limit are a 400, the message at its field, whoever finds it', async () => {
    const { post, api } = buildWithTenants();
    const errors = [{ field: '/limits/sources', message: 'must be at most 300000' }];
    api.on('PUT /v1/tenants/acme', problemReply(400, 'invalid_request', { errors }));
    const ours = await post('/tenants/acme', { name: '', state, 'limits/sources': '1e3' }, operatorToken);
    const theirs = await post('/tenants/acme', { name: '', state, 'limits/sources': '999999' }, operatorToken);
    for (const [{ statusCode, body }, message, value] of [
      [ours, 'must be a whole number', '1e3'],
      [theirs, 'must be at most 300000', '999999'],
    ] as const) {
      expect(statusCode).toBe(400);
      expect(body).toContain(`id="field-limits-sources-error">${message}`);
      expect(body).toContain(`value="${value}"`);
    }
  });

  test('that somebody else has changed meanwhile are a 412 that shows both, and nothing is saved', async () => {
    const { post, api } = buildWithTenants();
    const old = JSON.stringify(['Old', []]);
    const { statusCode, body } = await post('/tenants/acme', { name: 'Mine', state: old }, operatorToken);
    expect(statusCode).toBe(412);
    expect(body).toContain('name <b>&lt;b&gt;Acme&lt;/b&gt;</b>, endpoints <b>50,000</b>');
    expect(body).toContain('value="Mine"');
    expect(api.calls.some(({ method }) => method === 'PUT')).toBe(false);
  });

  test('are deleted once their id is entered, and the receipt says how far that is', async () => {
    const { get, post, api } = buildWithTenants();
    api.on('DELETE /v1/tenants/acme?confirm=acme', { status: 202, body: deletion });
    expect((await get('/tenants/acme/delete', operatorToken)).body).toContain('4 sources, 6 endpoints, 0 API keys');
    const wrong = await post('/tenants/acme/delete', { confirm: 'acm' }, operatorToken);
    expect([wrong.statusCode, wrong.body.includes('must be acme')]).toEqual([400, true]);
    expect(api.calls.some(({ method }) => method === 'DELETE')).toBe(false);
    for (let times = 0; times < 2; times += 1) {
      const { statusCode, body } = await post('/tenants/acme/delete', { confirm: 'acme' }, operatorToken);
      expect(statusCode).toBe(200);
      expect(body).toContain('ers_1');
      expect(body).toMatch(/<dt>delivery attempts<\/dt><dd>40<\/dd>/);
    }
  });
});

describe('the system', () => {
  const process = (service: string, more: object = {}) => ({
    service,
    instance: 'i',
    host: '<b>h</b>',
    pid: 1,
    version: '0.1.0',
    started_at: '2025-12-31T20:00:00.000000Z',
    beat_at: '2025-12-31T23:59:57.000000Z',
    status: 'ready',
    dependencies: { kafka: true },
    ...more,
  });
  const healthy = {
    processes: ['ingress', 'dedup', 'dispatcher', 'projector', 'api'].map((service) => process(service)),
    stages: [{ service: 'dedup', group: 'hookline.dedup', topic: 't', partitions: 6, records: 0, seconds: 0 }],
    dependencies: [{ name: 'kafka', up: true, down_for: [] }],
  };
  const settings = {
    base: '',
    apiDocsUrl: 'https://a.example/docs',
    grafanaUrl: 'https://g.example/x',
    runbookUrl: 'https://r.example/runbook.md',
    frameOrigins: [],
    faces: ['console'] as const,
  };

  test('is shown as its processes report it', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/system', { body: healthy });
    const { statusCode, body } = await get('/system', operatorToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('4 h');
    expect(body).toContain('3 s ago');
    expect(body).toContain('<bdi>&lt;b&gt;h&lt;/b&gt;</bdi>');
    expect(body).not.toContain('reports.');
    expect(body).toContain('HOOKLINE_GRAFANA_URL');
    expect(body).not.toContain('API reference');
  });

  test('names what is wrong, what can’t be asked, and what to do', async () => {
    const { get, api } = buildTestConsole({ settings });
    api.on('GET /v1/system', {
      body: {
        processes: [
          process('api', { status: 'not_ready', dependencies: { kafka: false } }),
          process('dedup', { status: 'silent', dependencies: null, version: '0.2.0' }),
        ],
        stages: [
          { service: 'dedup', group: 'g', topic: 't', partitions: null, records: null, seconds: null },
          { service: 'projector', group: 'p', topic: 't', partitions: 6, records: 1_204, seconds: 130 },
        ],
        dependencies: [{ name: 'kafka', up: false, down_for: ['api'] }],
      },
    });
    const { statusCode, body } = await get('/system', operatorToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('No process of ingress, dedup, dispatcher, projector reports.');
    expect(body).toContain('More than one version runs: 0.1.0, 0.2.0.');
    expect(body).toContain('no dedup reports');
    expect(body).toContain('2 min 10 s');
    expect(body).toContain('1,204');
    for (const alert of ['servicedown', 'processnotready', 'processdown', 'consumerbehind', 'kafkaaway'])
      expect(body).toContain(`https://r.example/runbook.md#hookline${alert}"`);
    expect(body).toContain('href="https://g.example/x/d/hookline-overview"');
    expect(body).toContain('<a href="https://a.example/docs">API reference</a>');
  });

  test('that can’t be asked at all is a 503', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/system', 'away');
    expect((await get('/system', operatorToken)).statusCode).toBe(503);
  });
});
