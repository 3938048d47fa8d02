import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';

const hostile = '"><script>alert(1)</script>';
const id = 'ep_01m84xk2v4q9nd1m0e6e0kxv7t';
const here = `/t/acme/endpoints/${id}`;

const endpoint = {
  id,
  url: 'https://crm.example/hooks',
  description: 'CRM production',
  event_types: ['invoice.*'],
  source_ids: ['src_1'],
  filter: { 'data.amount': { $gt: 1000 } },
  method: 'POST',
  headers: { 'X-Plain': 'v', 'X-Api-Key': '***' },
  pass_headers: [],
  ed25519: false,
  public_keys: [],
  timeout_ms: 5_000,
  max_in_flight: 10,
  ordered: false,
  retry: { base_seconds: 5, cap_seconds: 43_200, window_seconds: 259_200 },
  proxy: 'http://user:***@proxy.example:3128/',
  client_certificate: { certificate: 'PEM', expires_at: '2026-03-03T00:00:00.000000Z', fingerprint: 'ab12' },
  created_at: '2025-12-01T00:00:00.000000Z',
  effective_at: '2025-12-01T00:00:02.000000Z',
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  paused_at: null,
  paused_until: null,
  filter_unjudged: null,
};

const health = {
  breaker: { state: 'open', since: '2025-12-31T22:00:00.000000Z' },
  disables_at: '2026-01-05T20:00:00.000000Z',
  success: { hour: { attempts: 0, delivered: 0, ratio: null }, day: { attempts: 1_000, delivered: 999, ratio: 0.999 } },
  latency: { attempts: 200, p50_ms: 12.3, p95_ms: 184 },
  waiting: { retrying: 412, parked: 0, is_capped: false, oldest: '2025-12-31T21:00:00.000000Z', drains_at: null },
  last_success: { at: '2025-12-31T20:00:00.000000Z', outcome: 'delivered', http_status: 204, detail: null },
  last_failure: { at: '2025-12-31T23:00:00.000000Z', outcome: 'timeout', http_status: null, detail: 'no answer' },
};

const headingOf = (body: string): string => /<h1.*?<\/h1>/s.exec(body)?.[0] ?? '';

const stats = {
  step: '1h',
  since: '2025-12-31T00:00:00.000000Z',
  until: '2026-01-01T00:00:00.000000Z',
  counted_since: '2025-01-01T00:00:00.000000Z',
  series: [
    { series: 'delivered', key: id, counts: [{ at: '2025-12-31T05:00:00.000000Z', count: 999 }] },
    { series: 'failed', key: id, counts: [{ at: '2025-12-31T06:00:00.000000Z', count: 1 }] },
    { series: 'failed', key: 'ep_other', counts: [{ at: '2025-12-31T06:00:00.000000Z', count: 77_777 }] },
  ],
};

const types = {
  ...stats,
  step: '1d',
  series: ['invoice.paid', 'order.paid', 'other', 'hookline.test'].map((key) => ({
    series: 'received',
    key,
    counts: [{ at: '2025-12-31T00:00:00.000000Z', count: 1 }],
  })),
};

function buildEndpoints(given: object = {}) {
  const built = buildTestConsole();
  const { api } = built;
  api.on('GET /v1/endpoints', { body: [{ ...endpoint, ...given }] });
  api.on(`GET /v1/endpoints/${id}`, { body: { ...endpoint, ...given }, headers: { etag: '"7"' } });
  api.on(`GET /v1/endpoints/${id}/health`, { body: health });
  api.on('GET /v1/stats', ({ path }) => ({ body: path.includes('by=type') ? types : stats }));
  api.on('GET /v1/deliveries', { body: [] });
  api.on('GET /v1/sources', { body: [{ id: 'src_1', name: `Stripe ${hostile}` }] });
  return built;
}

const sent = (api: ReturnType<typeof buildEndpoints>['api']) => {
  const call = api.calls.filter(({ method }) => method !== 'GET').at(-1);
  return { ...call, body: call?.body === undefined ? undefined : (JSON.parse(call.body) as unknown) };
};

/** The form on a page, as a browser would send it. */
function formOf(body: string): Record<string, string> {
  const [form = ''] = /<form method="post" action="[^"]*\/edit"[\s\S]*?<\/form>/.exec(body) ?? [];
  const text = (escaped = ''): string =>
    escaped
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  const fields: Record<string, string> = {};
  for (const [, attributes = ''] of form.matchAll(/<input([^>]*)>/g)) {
    const name = / name="([^"]*)"/.exec(attributes)?.[1];
    if (name === undefined || name === 'idempotency_key') continue;
    if (attributes.includes('checkbox') && !attributes.endsWith(' checked')) continue;
    fields[name] = text(/ value="([^"]*)"/.exec(attributes)?.[1]);
  }
  for (const [, name = '', value] of form.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>\n([\s\S]*?)<\/textarea>/g))
    fields[name] = text(value);
  for (const [, name = '', options = ''] of form.matchAll(/<select[^>]* name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g))
    fields[name] = text(/value="([^"]*)" selected/.exec(options)?.[1]);
  return fields;
}

describe('the list', () => {
  test('shows how each does, by one request for all rows and one for each that fails, ten at most', async () => {
    const { get, api } = buildEndpoints();
    const failing = { ...endpoint, failing_since: '2025-12-31T20:00:00.000000Z' };
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...(index < 50 ? failing : endpoint),
      id: `ep_${index}`,
    }));
    api.on('GET /v1/endpoints', { body: [...many, { ...failing, id }] });
    api.on('GET /v1/endpoints/*', { body: health });
    const { statusCode, body } = await get('/t/acme/endpoints', tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('99.9 %');
    expect(body).toContain('412 wait');
    expect(body).toContain('breaker open');
    const asked = api.calls.filter(({ path }) => path !== '/v1/me').map(({ path }) => path);
    expect(asked).toHaveLength(12);
    expect(asked.filter((path) => path.endsWith('/health'))).toHaveLength(10);
  });

  test('shows its rows where the counts are away', async () => {
    const { get, api } = buildEndpoints();
    api.on('GET /v1/stats', problemReply(400, 'validation_failed'));
    const { statusCode, body } = await get('/t/acme/endpoints', tenantToken);
    expect(statusCode).toBe(200);
    expect(body).not.toContain('Delivered, 24 h');
  });

  test('without a match is a 404 with the form; while there is none at all, one can be created in place', async () => {
    const { get, api } = buildEndpoints();
    api.on('GET /v1/endpoints', { body: [] });
    const filtered = await get('/t/acme/endpoints?q=zzz&failing=true', tenantToken);
    expect(filtered.statusCode).toBe(404);
    expect(filtered.body).toContain('value="zzz"');
    const empty = await get('/t/acme/endpoints', tenantToken);
    expect(empty.statusCode).toBe(200);
    expect(empty.body).toContain('action="/t/acme/endpoints/new"');
    expect((await get('/t/acme/endpoints', readToken)).body).not.toContain('/endpoints/new');
  });
});

describe('an endpoint', () => {
  test('shows its health, settings with masks, counts and latest deliveries', async () => {
    const { get } = buildEndpoints({ failing_since: '2025-12-31T20:00:00.000000Z' });
    const { statusCode, body } = await get(here, tenantToken);
    expect(statusCode).toBe(200);
    for (const shown of [
      'held back: only probes and tests are sent',
      '412 for a retry',
      'once it answers again',
      '99.9 %',
      'p95 184 ms',
      'HTTP 204',
      'Timeout',
      'X-Api-Key: ***',
      'user:***@proxy.example',
      'ab12',
      'data.amount',
      'Nothing was sent to it yet.',
    ])
      expect(body).toContain(shown);
    expect(body).toContain(`/t/acme/deliveries?endpoint_id=${id}&amp;status=retrying`);
    expect(body).not.toContain('77,777');
    expect(body).not.toContain('<script>alert');
  });

  test.each([
    ['its latest attempt failed', {}, 'its latest attempt failed; it counts as failing within a minute of that'],
    ['nothing was sent', { last_success: null, last_failure: null }, 'it does not fail'],
    [
      'it has taken something since',
      { last_success: { ...health.last_failure, at: '2026-01-01T00:00:00.000000Z' } },
      'it does not fail',
    ],
  ])('that is not failing, and %s, says so', async (_, more, sentence) => {
    const { get, api } = buildEndpoints();
    api.on(`GET /v1/endpoints/${id}/health`, { body: { ...health, ...more } });
    expect((await get(here, tenantToken)).body).toContain(sentence);
  });

  const parked = { ...health.waiting, retrying: 0, parked: 3 };
  test.each([
    [
      '3 for the end of the pause',
      { paused_at: '2025-12-31T22:00:00.000000Z', paused_until: '2026-01-02T00:00:00.000000Z' },
      {},
    ],
    ['3 until it answers', {}, {}],
    ['3 for room', {}, { breaker: { state: 'closed', since: null } }],
  ])('says what its deliveries wait for: %s', async (words, given, more) => {
    const { get, api } = buildEndpoints(given);
    api.on(`GET /v1/endpoints/${id}/health`, { body: { ...health, waiting: parked, ...more } });
    expect((await get(here, tenantToken)).body).toContain(words);
  });

  test.each([
    ['badge-good', 'everything is sent', null, {}],
    ['badge-warn', 'everything is sent, and retried when it fails', '2025-12-31T20:00:00.000000Z', {}],
  ])('that is %s: %s, where its breaker is closed', async (badge, words, failingSince, more) => {
    const { get, api } = buildEndpoints({ failing_since: failingSince });
    api.on(`GET /v1/endpoints/${id}/health`, {
      body: { ...health, ...more, breaker: { state: 'closed', since: null } },
    });
    expect((await get(here, tenantToken)).body).toMatch(new RegExp(`${badge}">.{1,60} ${words}<`));
  });

  test('is failing as soon as its breaker is open, and is probed by one click', async () => {
    const { get, post, api } = buildEndpoints();
    const { body } = await get(here, tenantToken);
    expect(headingOf(body)).toContain('failing');
    expect(body).toContain('Probe now');
    api.on(`POST /v1/endpoints/${id}/probe`, { body: {} });
    const done = await post(`${here}/probe`, {}, tenantToken);
    expect([done.statusCode, done.headers['location']]).toEqual([303, here]);
    api.on(`GET /v1/endpoints/${id}/health`, { body: { ...health, breaker: { state: 'closed', since: null } } });
    expect((await get(here, tenantToken)).body).not.toContain('Probe now');
  });

  test('groups its failures by answer, with what came back last', async () => {
    const { get, api } = buildEndpoints();
    const failures = [
      {
        outcome: 'http_5xx',
        http_status: 500,
        attempts: 31,
        detail: 'answered 500',
        delivery_id: 'dlv_7',
        first_at: '2025-12-31T20:00:00.000000Z',
        last_at: '2025-12-31T23:00:00.000000Z',
        response_excerpt: 'Cannot read <properties> of undefined',
      },
    ];
    api.on(`GET /v1/endpoints/${id}/health`, { body: { ...health, failures } });
    const { body } = await get(here, tenantToken);
    for (const text of [
      'Why it fails',
      'HTTP 500',
      '31',
      'Cannot read &lt;properties&gt; of undefined',
      'href="/t/acme/deliveries/dlv_7"',
      'datetime="2025-12-31T20:00:00.000000Z"',
    ])
      expect(body).toContain(text);
  });

  test('leads to its dead letters', async () => {
    const { get, api } = buildEndpoints();
    const latest = { id: 'dlv_1', endpoint_id: id, event_type: 'invoice.paid', status: 'dead_lettered', attempts: 1 };
    api.on('GET /v1/deliveries', { body: [latest] });
    const { body } = await get(here, tenantToken);
    expect(body).toContain(`href="/t/acme/dead-letters?endpoint_id=${id}&amp;status=dead"`);
  });

  test('shows the rest where its health can’t be told', async () => {
    const { get, api } = buildEndpoints();
    api.on(`GET /v1/endpoints/${id}/health`, problemReply(503, 'unavailable'));
    const { statusCode, body } = await get(here, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('is unknown at the moment');
  });

  test('offers what can be done with it in its state', async () => {
    const offers = async (given: object): Promise<string[]> => {
      const { get } = buildEndpoints(given);
      const { body } = await get(here, tenantToken);
      return ['test', 'pause', 'resume', 'recover', 'disable', 'enable', 'delete'].filter((what) =>
        body.includes(`"${here}/${what}"`),
      );
    };
    const at = '2025-12-31T20:00:00.000000Z';
    expect(await offers({})).toEqual(['test', 'pause', 'recover', 'disable', 'delete']);
    expect(await offers({ paused_at: at, paused_until: at })).toEqual([
      'pause',
      'resume',
      'recover',
      'disable',
      'delete',
    ]);
    expect(await offers({ disabled_at: at, disabled_reason: 'failing' })).toEqual(['enable', 'delete']);
  });

  test('shows no action to who may only read, and each is a 403 all the same', async () => {
    const { get, post, api } = buildEndpoints();
    const { body } = await get(here, readToken);
    for (const what of ['edit', 'test', 'pause', 'rotate', 'delete']) {
      expect(body).not.toContain(`${here}/${what}`);
      expect((await get(`${here}/${what}`, readToken)).statusCode).toBe(403);
      expect((await post(`${here}/${what}`, {}, readToken)).statusCode).toBe(403);
    }
    expect((await get('/t/acme/endpoints/new', readToken)).statusCode).toBe(403);
    expect(api.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test.each(['', '/edit', '/test', '/pause', '/rotate', '/recover', '/disable', '/delete'])(
    'that was deleted is a 410, and one that never was a 404: %s',
    async (below) => {
      const { get, api } = buildEndpoints();
      api.on(`GET /v1/endpoints/${id}`, problemReply(410, 'gone'));
      api.on('POST /v1/dead-letters/replay', { body: { dry_run: true, matched: 0, by_reason: [] } });
      expect((await get(here + below, tenantToken)).statusCode).toBe(410);
      expect((await get(`/t/acme/endpoints/ep_never${below}`, tenantToken)).statusCode).toBe(404);
      api.on(`GET /v1/endpoints/${id}`, 'away');
      expect((await get(here + below, tenantToken)).statusCode).toBe(503);
    },
  );
});

describe('a new endpoint', () => {
  test('is offered the types that came lately, and the sources', async () => {
    const { get } = buildEndpoints();
    const { statusCode, body } = await get('/t/acme/endpoints/new', tenantToken);
    expect(statusCode).toBe(200);
    for (const value of ['invoice.paid', 'order.paid', 'src_1', 'api']) expect(body).toContain(`value="${value}"`);
    for (const value of ['other', 'hookline.test']) expect(body).not.toContain(`value="${value}"`);
    expect(body).not.toContain('<script>alert');
  });

  test('is created once, with its settings alone, and its secret is shown with the 201', async () => {
    const { send, api } = buildEndpoints();
    api.on('POST /v1/endpoints', { status: 201, body: { ...endpoint, secret: 'whsec_once' } });
    const answer = await send({
      method: 'POST',
      url: '/t/acme/endpoints/new',
      payload: new URLSearchParams([
        ['idempotency_key', 'key-of-the-form'],
        ['url', ' https://crm.example/hooks '],
        ['description', ''],
        ['event_types', 'invoice.paid'],
        ['event_types', 'order.*\r\n\r\ninvoice.paid'],
        ['source_ids', 'src_1'],
        ['filter', '{"data.amount": {"$gt": 1000}}'],
        ['method', 'POST'],
        ['headers', 'X-Api-Key: s3cret\r\nX-Empty:'],
        ['timeout_ms', '2500'],
        ['retry_kind', 'schedule'],
        ['retry/base_seconds', '7'],
        ['retry/schedule', '5\r\n5\r\n60'],
        ['ed25519', '1'],
      ]).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        cookie: `hookline=${tenantToken}`,
      },
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.body).toContain('whsec_once');
    // A script counts down; without one the sentence says when.
    expect(answer.body).toContain('data-counts-from="2025-12-01T00:00:02.000000Z"');
    expect(answer.body).toContain('2025-12-01 00:00:02.000 UTC');
    expect(answer.body).toContain('/counts-from.js');
    const missed = `to_endpoint=${id}&amp;received_since=2025-12-01T00%3A00%3A00.000000Z&amp;received_until=2025-12-01T00%3A00%3A02.000000Z`;
    expect(answer.body).toContain(missed);
    expect(sent(api)).toMatchObject({ headers: { 'idempotency-key': 'key-of-the-form' } });
    expect(sent(api).body).toEqual({
      url: 'https://crm.example/hooks',
      event_types: ['invoice.paid', 'order.*'],
      source_ids: ['src_1'],
      filter: { 'data.amount': { $gt: 1000 } },
      method: 'POST',
      headers: { 'X-Api-Key': 's3cret', 'X-Empty': '' },
      timeout_ms: 2500,
      ed25519: true,
      retry: { schedule: [5, 5, 60] },
    });
  });

  test('keeps all that was entered where something is wrong, with each message at its field', async () => {
    const { post, api } = buildEndpoints();
    const errors = [
      { field: '/timeout_ms', message: 'must be integer' },
      { field: '/headers/Host', message: 'is Hookline’s own' },
      { field: '/retry/base_seconds', message: 'must be >= 0.01' },
    ];
    api.on('POST /v1/endpoints', problemReply(400, 'validation_failed', { errors }));
    const answer = await post(
      '/t/acme/endpoints/new',
      { url: hostile, timeout_ms: 'abc', headers: 'Host: x', 'retry/base_seconds': '-1', description: 'kept' },
      tenantToken,
    );
    expect(answer.statusCode).toBe(400);
    expect(sent(api).body).toMatchObject({ timeout_ms: 'abc', retry: { base_seconds: -1 } });
    for (const name of ['timeout_ms', 'headers', 'retry-base_seconds']) {
      expect(answer.body).toContain(`id="field-${name}-error"`);
    }
    for (const value of ['abc', '-1', 'kept', '&quot;&gt;&lt;script&gt;']) expect(answer.body).toContain(value);
    expect(answer.body).not.toContain('<script>alert');
  });

  test('is told by what rule its URL is not allowed', async () => {
    const { post, api } = buildEndpoints();
    const errors = [{ field: '/url', message: 'is not allowed: a private address' }];
    api.on('POST /v1/endpoints', problemReply(400, 'url_not_allowed', { errors }));
    const answer = await post('/t/acme/endpoints/new', { url: 'https://10.0.0.1/' }, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('is not allowed: a private address. Events are sent over https to public addresses');
    expect(answer.body).toContain('value="https://10.0.0.1/"');
  });

  test('that the API refuses as a whole comes back with the reason', async () => {
    const { post, api } = buildEndpoints();
    api.on('POST /v1/endpoints', problemReply(400, 'validation_failed', { detail: 'The body is not valid' }));
    const answer = await post('/t/acme/endpoints/new', { url: 'https://a.example/' }, tenantToken);
    expect([answer.statusCode, answer.body.includes('The body is not valid')]).toEqual([400, true]);
  });

  test.each([
    ['filter', '{', 'is not JSON'],
    ['headers', 'no colon', 'line 1 must be a name, a colon and a value'],
    ['headers', 'X-A: 1\nx-a: 2', 'x-a is given twice'],
  ])('is not sent with a %s that can’t be read', async (name, value, message) => {
    const { post, api } = buildEndpoints();
    const answer = await post('/t/acme/endpoints/new', { url: 'https://a.example/', [name]: value }, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain(message);
    expect(sent(api).method).toBeUndefined();
  });
});

describe('an edit', () => {
  test('sends what was changed and nothing else, with the ETag', async () => {
    const { get, post, api } = buildEndpoints();
    api.on(`PATCH /v1/endpoints/${id}`, { body: endpoint });
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    const answer = await post(`${here}/edit`, { ...form, description: 'Renamed', timeout_ms: '' }, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, here]);
    expect(sent(api)).toMatchObject({
      method: 'PATCH',
      headers: { 'if-match': '"7"' },
      body: { description: 'Renamed', timeout_ms: null },
    });
    expect(Object.keys(sent(api).body as object)).toEqual(['description', 'timeout_ms']);
  });

  test('gives the headers to pass again with another origin, as the API asks', async () => {
    const { get, post, api } = buildEndpoints();
    const passing = { ...endpoint, pass_headers: ['Authorization', 'X-Trace'] };
    api.on(`GET /v1/endpoints/${id}`, { body: passing, headers: { etag: '"7"' } });
    api.on(`PATCH /v1/endpoints/${id}`, { body: passing });
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    await post(`${here}/edit`, { ...form, url: 'https://crm.example/v2' }, tenantToken);
    expect(sent(api).body).toEqual({ url: 'https://crm.example/v2' });
    const url = 'https://elsewhere.example/hooks';
    await post(`${here}/edit`, { ...form, url }, tenantToken);
    expect(sent(api).body).toEqual({ url, pass_headers: passing.pass_headers });
  });

  test('that changes nothing sends nothing', async () => {
    const { get, post, api } = buildEndpoints();
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    expect((await post(`${here}/edit`, form, tenantToken)).statusCode).toBe(303);
    expect(sent(api).method).toBeUndefined();
  });

  test('names headers that are removed, and sends masks of others back as they were', async () => {
    const { get, post, api } = buildEndpoints();
    api.on(`PATCH /v1/endpoints/${id}`, { body: endpoint });
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    await post(`${here}/edit`, { ...form, headers: 'X-Api-Key: ***\nX-New: n' }, tenantToken);
    expect(sent(api).body).toEqual({ headers: { 'X-Plain': null, 'X-Api-Key': '***', 'X-New': 'n' } });
  });

  test('keeps whole numbers of a filter beyond 2^53', async () => {
    const { get, post, api } = buildEndpoints();
    const filter = '{"account":9007199254740993}';
    const body = Buffer.from(JSON.stringify({ ...endpoint, filter: 'given' }).replace('"given"', filter));
    api.on(`GET /v1/endpoints/${id}`, { body, headers: { etag: '"7"' } });
    api.on(`PATCH /v1/endpoints/${id}`, { body: endpoint });
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    expect(form['filter']?.replace(/\s/g, '')).toBe(filter);
    await post(`${here}/edit`, { ...form, filter: filter.replace('993', '995') }, tenantToken);
    expect(api.calls.at(-1)?.body).toBe('{"filter":{"account":9007199254740995}}');
  });

  test('changes one form of retries to the other', async () => {
    const { get, post, api } = buildEndpoints();
    api.on(`PATCH /v1/endpoints/${id}`, { body: endpoint });
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    await post(`${here}/edit`, { ...form, retry_kind: 'schedule', 'retry/schedule': '5, 60' }, tenantToken);
    expect(sent(api).body).toEqual({
      retry: {
        base_seconds: null,
        cap_seconds: null,
        window_seconds: null,
        max_attempts: null,
        schedule: [5, 60],
        jitter: null,
      },
    });
  });

  test('removes a certificate only where that is asked for', async () => {
    const { get, post, api } = buildEndpoints();
    api.on(`PATCH /v1/endpoints/${id}`, { body: endpoint });
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    await post(`${here}/edit`, { ...form, remove_certificate: '1' }, tenantToken);
    expect(sent(api).body).toEqual({ client_certificate: null });
  });

  test('asks which is meant where a certificate is to be removed and another is given', async () => {
    const { get, post, api } = buildEndpoints();
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    const both = { ...form, remove_certificate: '1', 'client_certificate/certificate': 'PEM' };
    const answer = await post(`${here}/edit`, both, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('is either removed or replaced');
    expect(formOf(answer.body)).toMatchObject({
      remove_certificate: '1',
      'client_certificate/certificate': 'PEM',
    });
    expect(api.calls.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  test('finds that somebody else has saved: both versions are shown, nothing is lost, and the next save works', async () => {
    const { get, post, api } = buildEndpoints();
    const opened = formOf((await get(`${here}/edit`, tenantToken)).body);
    const theirs = { ...endpoint, description: 'Theirs', timeout_ms: 9_000 };
    api.on(`GET /v1/endpoints/${id}`, { body: theirs, headers: { etag: '"8"' } });
    const mine = { ...opened, description: `Mine ${hostile}`, max_in_flight: '3' };
    const answer = await post(`${here}/edit`, mine, tenantToken);
    expect(answer.statusCode).toBe(412);
    expect(sent(api).method).toBeUndefined();
    for (const shown of ['Theirs', 'Mine &quot;', '9000', 'both changed it', 'only you changed it'])
      expect(answer.body).toContain(shown);
    expect(answer.body).not.toContain('<script>alert');
    const again = formOf(answer.body);
    // Ours where we changed it, theirs where they alone did.
    expect(again).toMatchObject({
      description: `Mine ${hostile}`,
      max_in_flight: '3',
      timeout_ms: '9000',
      etag: '"8"',
    });
    api.on(`PATCH /v1/endpoints/${id}`, { body: theirs });
    expect((await post(`${here}/edit`, again, tenantToken)).statusCode).toBe(303);
    expect(sent(api)).toMatchObject({ headers: { 'if-match': '"8"' } });
    expect(sent(api).body).toEqual({ description: `Mine ${hostile}`, max_in_flight: 3 });
  });

  test('that loses the race at the API gets the same page', async () => {
    const { get, post, api } = buildEndpoints();
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    api.on(`PATCH /v1/endpoints/${id}`, problemReply(412, 'precondition_failed'));
    const answer = await post(`${here}/edit`, { ...form, description: 'Mine' }, tenantToken);
    expect(answer.statusCode).toBe(412);
    expect(formOf(answer.body)).toMatchObject({ description: 'Mine' });
  });

  test('that is sent twice by a double click is saved, not in conflict with itself', async () => {
    const { get, post, api } = buildEndpoints();
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    api.on(`GET /v1/endpoints/${id}`, { body: { ...endpoint, description: 'Mine' }, headers: { etag: '"8"' } });
    expect((await post(`${here}/edit`, { ...form, description: 'Mine' }, tenantToken)).statusCode).toBe(303);
  });

  test('with something wrong keeps what was entered', async () => {
    const { get, post, api } = buildEndpoints();
    const form = formOf((await get(`${here}/edit`, tenantToken)).body);
    const errors = [{ field: '/timeout_ms', message: 'must be >= 100' }];
    api.on(`PATCH /v1/endpoints/${id}`, problemReply(400, 'validation_failed', { errors }));
    const answer = await post(`${here}/edit`, { ...form, timeout_ms: '1' }, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('field-timeout_ms-error');
    expect(formOf(answer.body)).toMatchObject({ timeout_ms: '1', etag: '"7"' });
  });
});

describe('what is done to an endpoint', () => {
  test.each([
    ['enable', 'enable', {}, undefined],
    ['resume', 'resume', {}, undefined],
    ['disable', 'disable', {}, undefined],
    ['pause', 'pause', { until: '2026-01-02T00:00:00Z' }, { until: '2026-01-02T00:00:00Z' }],
    ['pause', 'pause', { length: '3600', until: '' }, { until: '2026-01-01T01:00:00.000Z' }],
  ])('%s is sent once, and leads back to it', async (what, route, fields, body) => {
    const { post, api } = buildEndpoints();
    api.on(`POST /v1/endpoints/${id}/${route}`, { body: endpoint });
    const answer = await post(`${here}/${what}`, fields, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, here]);
    expect(sent(api)).toMatchObject({ headers: { 'idempotency-key': 'key-of-the-form' } });
    expect(sent(api).body).toEqual(body);
  });

  test('a pause with a wrong end keeps it, with the message at its field', async () => {
    const { post, api } = buildEndpoints();
    const errors = [{ field: '/until', message: 'must be an RFC 3339 date-time' }];
    api.on(`POST /v1/endpoints/${id}/pause`, problemReply(400, 'validation_failed', { errors }));
    const answer = await post(`${here}/pause`, { until: 'tomorrow' }, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('value="tomorrow"');
    expect(answer.body).toContain('field-until-error');
  });

  test('deleting leads to its page, also the second time', async () => {
    const { post, api } = buildEndpoints();
    api.on(`DELETE /v1/endpoints/${id}`, { status: 204 });
    expect((await post(`${here}/delete`, {}, tenantToken)).headers.location).toBe(here);
    api.on(`DELETE /v1/endpoints/${id}`, problemReply(410, 'gone'));
    expect((await post(`${here}/delete`, {}, tenantToken)).headers.location).toBe(here);
  });

  test('a new secret is shown once, with how long the old one signs too', async () => {
    const { post, api } = buildEndpoints();
    const rotated = { secret: 'whsec_new', previous_expires_at: '2026-01-02T00:00:00.000000Z' };
    api.on(`POST /v1/endpoints/${id}/rotate-secret`, { body: rotated });
    const answer = await post(`${here}/rotate`, { overlap_seconds: '3600', secret: '' }, tenantToken);
    expect(answer.statusCode).toBe(201);
    expect(answer.body).toContain('whsec_new');
    expect(answer.body).toContain('2026-01-02 00:00:00');
    expect(sent(api).body).toEqual({ overlap_seconds: 3600 });
  });

  test('too many secrets are told on the form', async () => {
    const { post, api } = buildEndpoints();
    api.on(`POST /v1/endpoints/${id}/rotate-secret`, problemReply(409, 'conflict', { detail: '5 secrets are valid' }));
    const answer = await post(`${here}/rotate`, { overlap_seconds: '0' }, tenantToken);
    expect(answer.statusCode).toBe(409);
    expect(answer.body).toContain('5 secrets are valid.');
  });

  test('recovery counts what it would send, then starts a replay', async () => {
    const { get, post, api } = buildEndpoints({ failing_since: '2025-12-31T20:00:00.000000Z' });
    const preview = { dry_run: true, matched: 38, by_reason: [{ reason: 'retries_exhausted', letters: 38 }] };
    api.on('POST /v1/dead-letters/replay', { body: preview });
    const { statusCode, body } = await get(`${here}/recover`, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('38 retries exhausted');
    expect(sent(api).body).toEqual({
      stage: 'dispatcher',
      endpoint_id: id,
      since: '2025-12-31T20:00:00.000000Z',
      dry_run: true,
    });
    api.on(`POST /v1/endpoints/${id}/recover`, { status: 202, body: { id: 'rpl_1' } });
    const answer = await post(`${here}/recover`, { since: '2025-12-31T00:00:00Z', rate_per_second: '10' }, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/t/acme/replays/rpl_1']);
    expect(sent(api).body).toEqual({ since: '2025-12-31T00:00:00Z', rate_per_second: 10 });
  });

  test('recovery with a wrong time says so at its field', async () => {
    const { get, api } = buildEndpoints();
    const errors = [{ field: '/since', message: 'must be an RFC 3339 date-time' }];
    api.on('POST /v1/dead-letters/replay', problemReply(400, 'validation_failed', { errors }));
    const answer = await get(`${here}/recover?since=x`, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('field-since-error');
    expect(answer.body).toContain('value="x"');
  });
});

describe('a test', () => {
  const eventId = 'evt_1';
  const attempt = {
    attempt: 1,
    at: '2026-01-01T00:00:00.000000Z',
    outcome: 'delivered',
    http_status: 204,
    duration_ms: 12,
    detail: null,
    request: { method: 'POST', url: endpoint.url, headers: {} },
    response_headers: {},
    response_excerpt: null,
    response_excerpt_encoding: 'text',
    timing: null,
  };

  function buildTested(deliveries: readonly object[], attempts: readonly object[]) {
    const built = buildEndpoints();
    built.api.on(`GET /v1/events/${eventId}/deliveries`, { body: deliveries });
    built.api.on('GET /v1/deliveries/dlv_1/attempts', { body: attempts });
    return built;
  }
  const delivery = { id: 'dlv_1', endpoint_id: id, attempts: 1 };

  test('is sent once, waits as long as the API does, and its result has an address', async () => {
    const { post, api } = buildTested([], []);
    api.on(`POST /v1/endpoints/${id}/test`, { body: { event_id: eventId, delivery_id: 'dlv_1' } });
    const answer = await post(`${here}/test`, { type: 'a.b', payload: '{"n": 1}' }, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${here}/test?event=${eventId}`]);
    const { body, timeoutMs } = sent(api);
    expect(body).toEqual({ type: 'a.b', payload: { n: 1 } });
    expect(timeoutMs).toBeGreaterThan(25_000);
  });

  test.each([
    ['a 204', attempt, ['The receiver accepted it.', 'HTTP 204']],
    ['a 500', { ...attempt, outcome: 'http_5xx', http_status: 500 }, ['did not accept it', 'HTTP 500']],
    [
      'no answer',
      { ...attempt, outcome: 'timeout', http_status: null, detail: 'no answer within 2000 ms' },
      ['did not accept it', 'Timeout', 'no answer within 2000 ms'],
    ],
  ])('shows %s as it was', async (_, one, sentences) => {
    const { get } = buildTested([delivery], [one]);
    const { statusCode, body } = await get(`${here}/test?event=${eventId}`, tenantToken);
    expect(statusCode).toBe(200);
    for (const sentence of sentences) expect(body).toContain(sentence);
  });

  test('that has not ended yet says so', async () => {
    const waiting = buildTested([{ ...delivery, attempts: 0 }], []);
    expect((await waiting.get(`${here}/test?event=${eventId}`, tenantToken)).body).toContain('has not answered yet');
    const unsent = buildTested([], []);
    expect((await unsent.get(`${here}/test?event=${eventId}`, tenantToken)).body).toContain('has not been sent yet');
  });

  test('of another endpoint is a 404 here', async () => {
    const { get } = buildTested([{ ...delivery, endpoint_id: 'ep_other' }], []);
    expect((await get(`${here}/test?event=${eventId}`, tenantToken)).statusCode).toBe(404);
    expect((await get(`${here}/test?event=evt_never`, tenantToken)).statusCode).toBe(404);
  });

  test('of a paused endpoint is refused in words; a payload that is no JSON at its field', async () => {
    const { post, api } = buildEndpoints();
    const detail = 'The endpoint is paused: resume it first';
    api.on(`POST /v1/endpoints/${id}/test`, problemReply(409, 'conflict', { detail }));
    const paused = await post(`${here}/test`, {}, tenantToken);
    expect(paused.statusCode).toBe(409);
    expect(paused.body).toContain(`${detail}.`);
    const wrong = await post(`${here}/test`, { payload: '{' }, tenantToken);
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('is not JSON');
  });
});
