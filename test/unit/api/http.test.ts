import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { maxPayloadBytes, sourceSchemes } from '#lib/contract';
import { AppError } from '#lib/runtime';
import { waitUntil } from '../../support/wait-until.ts';
import { type Answer, closeApps, listen } from './ask.ts';
import { adminKey, authorization, buildTestApp, createKeptLog, postgresOf } from './build-test-app.ts';

const json = { authorization, 'content-type': 'application/json' };
const source = { name: 'shop', scheme: 'hookline' };

afterEach(closeApps);

function expectProblem(answer: Answer, status: number, code: string) {
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/problem+json',
    'cache-control': 'private, no-store',
  });
  expect(answer.json()).toMatchObject({ status, code });
}

describe('who may ask', () => {
  test.each([
    ['no key', {}],
    ['an empty header', { authorization: '' }],
    ['another scheme', { authorization: `Basic ${adminKey}` }],
    ['the key without a scheme', { authorization: adminKey }],
    ['another key', { authorization: 'Bearer an-admin-key-for-tesTs' }],
    ['the key and more', { authorization: `Bearer ${adminKey} x` }],
    ['the beginning of the key', { authorization: `Bearer ${adminKey.slice(0, -1)}` }],
  ])('is refused with %s, and told how to ask', async (_what, headers) => {
    const { ask } = buildTestApp();
    const answer = await ask({ path: '/v1/sources', headers });
    expectProblem(answer, 401, 'unauthorized');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  test('is judged before the body is read', async () => {
    const { ask } = buildTestApp();
    const answer = await ask({
      method: 'POST',
      path: '/v1/sources',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(2_000_000),
    });
    expectProblem(answer, 401, 'unauthorized');
  });

  test('may write the scheme in any case', async () => {
    const { ask } = buildTestApp({ postgres: postgresOf(async () => []) });
    const answer = await ask({
      path: '/v1/sources',
      headers: { authorization: `bEARER ${adminKey}` },
    });
    expect(answer.status).toBe(200);
  });

  test.each(['', '.hidden', 'a b', '\u00e4', 'a'.repeat(65), 'one, two', '../x'])(
    'names a tenant that can be one: not %j',
    async (tenant) => {
      const { ask } = buildTestApp();
      const answer = await ask({
        path: '/v1/sources',
        headers: { authorization, 'hookline-tenant': tenant },
      });
      expectProblem(answer, 400, 'validation_failed');
      expect(answer.json()).toMatchObject({ errors: [{ field: 'Hookline-Tenant' }] });
    },
  );

  test.each([
    [undefined, 'default'],
    ['acme-1.eu_west', 'acme-1.eu_west'],
  ])('asks for the tenant that is named: %j is %s', async (given, tenant) => {
    const asked: unknown[] = [];
    const { ask } = buildTestApp({ postgres: postgresOf(async (_text, values) => (asked.push(values?.[0]), [])) });
    const headers = { authorization, ...(given === undefined ? {} : { 'hookline-tenant': given }) };
    await ask({ path: '/v1/sources', headers });
    expect(asked).toEqual([tenant]);
  });
});

describe('paths and methods', () => {
  test.each(['/', '/v1', '/v1/nothing', '/v1/sources//', '/v2/sources', '/v1/events/x/y', '/v1/sources/%zz'])(
    '%s does not exist, for GET, HEAD and a POST of anything, with or without a key',
    async (path) => {
      const { ask } = buildTestApp();
      expectProblem(await ask({ path }), 404, 'not_found');
      expectProblem(await ask({ path, headers: { authorization } }), 404, 'not_found');
      expect((await ask({ method: 'HEAD', path })).status).toBe(404);
      const posted = await ask({ method: 'POST', path, headers: { 'content-type': 'x/y' }, body: '…' });
      expectProblem(posted, 404, 'not_found');
    },
  );

  test.each([
    ['PUT', '/v1/sources', 'GET, HEAD, POST'],
    ['DELETE', '/v1/sources', 'GET, HEAD, POST'],
    ['POST', '/v1/sources/src_x', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v1/sources/src_x/rotate-secret', 'POST'],
    ['POST', '/v1/endpoints/ep_x', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v1/endpoints/ep_x/recover', 'POST'],
    ['DELETE', '/v1/deliveries/dlv_x/cancel', 'POST'],
    ['OPTIONS', '/v1/endpoints', 'GET, HEAD, POST'],
    ['POST', '/v1/deliveries/dlv_x/attempts', 'GET, HEAD'],
  ] as const)('%s %s is answered with the methods that there are', async (method, path, allow) => {
    const { ask } = buildTestApp();
    const answer = await ask({ method, path, headers: { 'content-type': 'x/y' }, body: '…' });
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });

  test('HEAD is answered as GET is, without the body', async () => {
    const { ask } = buildTestApp({ postgres: postgresOf(async () => []) });
    const [get, head] = await Promise.all(
      (['GET', 'HEAD'] as const).map((method) => ask({ method, path: '/v1/sources', headers: { authorization } })),
    );
    expect(head?.status).toBe(200);
    expect(head?.text).toBe('');
    expect({ ...head?.headers, date: '' }).toEqual({ ...get?.headers, date: '' });
  });

  test.each(['src_', 'src_0', 'x', '%00', `src_${'0'.repeat(25)}i`, 'a'.repeat(5_000), '..%2fsources'])(
    'an id that can be none, such as %s, is not found without asking the database',
    async (id) => {
      const { ask } = buildTestApp();
      for (const path of ['sources', 'endpoints', 'events', 'deliveries']) {
        const answer = await ask({ path: `/v1/${path}/${id}`, headers: { authorization } });
        expectProblem(answer, 404, 'not_found');
      }
    },
  );
});

describe('bodies', () => {
  const post = (body: string | Buffer, headers: Record<string, string> = json) =>
    buildTestApp().ask({ method: 'POST', path: '/v1/sources', headers, body });

  test('that are no JSON are not valid', async () => {
    expectProblem(await post('{"name": '), 400, 'validation_failed');
    expectProblem(await post('{"__proto__": {"name": "x"}}'), 400, 'validation_failed');
  });

  test.each(['', 'null', '[]', '"text"', '1'])('%j is no source', async (payload) => {
    const answer = await post(payload);
    expectProblem(answer, 400, 'validation_failed');
    expect(answer.json()).toMatchObject({ errors: [{ field: '(body)', message: 'must be object' }] });
  });

  test('of another content type, or of none, are not supported', async () => {
    const payload = JSON.stringify(source);
    expectProblem(await post(payload, { authorization, 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
    expectProblem(
      await post(payload, { authorization, 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported_media_type',
    );
    expectProblem(await post(Buffer.from(payload), { authorization }), 415, 'unsupported_media_type');
    expectProblem(
      await post(gzipSync(payload), { ...json, 'content-encoding': 'gzip' }),
      415,
      'unsupported_media_type',
    );
    // JSON as it stands, whatever the header says.
    expectProblem(await post('[]', { ...json, 'content-encoding': 'utf-8' }), 400, 'validation_failed');
  });

  test('above the payload limit are too large', async () => {
    expectProblem(await post(JSON.stringify({ name: 'x'.repeat(maxPayloadBytes) })), 413, 'payload_too_large');
  });

  test.each([
    ['POST', '/v1/endpoints', { url: 'https://example.com', filter: null }],
    ['PATCH', `/v1/endpoints/ep_${'0'.repeat(26)}`, { retry: null }],
    ['PATCH', `/v1/sources/src_${'0'.repeat(26)}`, { hmac: null }],
  ])('that are nested too deep to be looked through are refused: %s %s', async (method, path, around) => {
    for (const levels of [100, 10_000]) {
      const deep = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
      const body = JSON.stringify(around).replace('null', deep);
      const answer = await buildTestApp().ask({ method, path, headers: json, body });
      expectProblem(answer, 400, 'validation_failed');
      expect(answer.json()).toMatchObject({ errors: [{ field: '(body)' }] });
    }
  });

  test('are refused with every field that is wrong', async () => {
    const answer = await post(
      JSON.stringify({ scheme: 'none', dedup_ttl_seconds: '60', 'a/b': 1, dedup_id: ['id'], response_status: 201 }),
    );
    expectProblem(answer, 400, 'validation_failed');
    const { errors, detail } = answer.json<{ errors: object[]; detail: string }>();
    expect(errors).toEqual(
      expect.arrayContaining([
        { field: '/name', message: 'is missing' },
        { field: '/a~1b', message: 'is an unknown field' },
        { field: '/scheme', message: `must be one of ${sourceSchemes.join(', ')}` },
        { field: '/dedup_ttl_seconds', message: 'must be integer' },
        { field: '/dedup_id/0', message: 'must be `header:Name` or a JSON pointer such as /data/id' },
        { field: '/response_status', message: 'must be one of 200, 202, 204' },
      ]),
    );
    expect(detail).toContain('/name is missing');
  });

  test('with thousands of unknown fields get a short answer', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]));
    const answer = await post(JSON.stringify(fields));
    expectProblem(answer, 400, 'validation_failed');
    expect(answer.json<{ errors: object[] }>().errors).toHaveLength(20);
  });

  test.each([
    ['name', ''],
    ['name', 'a\nb'],
    ['secret', ''],
    ['secret', '   '],
    ['secret', 'whsec_'],
    ['signature_header', 'no header'],
    ['dedup_ttl_seconds', 59],
    ['dedup_ttl_seconds', 30 * 24 * 3600 + 1],
    ['timestamp_tolerance_seconds', 0],
    ['dedup_id', []],
    ['event_type_from', ['/a~2']],
  ])('whose %s is %j are not valid', async (name, value) => {
    const answer = await post(JSON.stringify({ ...source, [name]: value }));
    expectProblem(answer, 400, 'validation_failed');
    expect(answer.json<{ errors: { field: string }[] }>().errors[0]?.field).toMatch(new RegExp(`^/${name}`));
  });
});

describe('parameters', () => {
  const get = (path: string) => buildTestApp().ask({ path, headers: { authorization } });

  test.each([
    ['/v1/events?limit=0', 'limit'],
    ['/v1/events?limit=1&updated_at_gte=2026-01-01T00:00:00Z', 'limit'],
    ['/v1/events?limit=1001', 'limit'],
    ['/v1/events?limit=ten', 'limit'],
    ['/v1/events?limit=', 'limit'],
    ['/v1/events?limit=2&limit=3', 'limit'],
    ['/v1/events?updated_at_gte=yesterday', 'updated_at_gte'],
    ['/v1/events?updated_at_gte=', 'updated_at_gte'],
    ['/v1/events?updated_at_gte=2026-01-01', 'updated_at_gte'],
    ['/v1/events?updated_at_gte=2026-02-30T00:00:00Z', 'updated_at_gte'],
    ['/v1/events?updated_at_gte=2026-01-01T00:00:00+01:00', 'updated_at_gte'],
    ['/v1/events?updated_at_gte=1767225600', 'updated_at_gte'],
    ['/v1/events?status=done', 'status'],
    ['/v1/events?type=%00', 'type'],
    ['/v1/events?updated_at_gt=2026-01-01T00:00:00Z', 'updated_at_gt'],
    ['/v1/sources?limit=0', 'limit'],
    ['/v1/sources?cursor=abc', 'cursor'],
    ['/v1/endpoints?cursor=src_00000000000000000000000000', 'cursor'],
  ])('%s is refused, naming the parameter', async (url, field) => {
    const answer = await get(url);
    expectProblem(answer, 400, 'validation_failed');
    expect(answer.json<{ errors: { field: string }[] }>().errors[0]?.field).toBe(field);
  });
});

describe('trouble', () => {
  test('of the database is 503, with a time to come again', async () => {
    const { ask } = buildTestApp({
      postgres: postgresOf(async () => {
        throw new AppError('store_unavailable', 'connection refused');
      }),
    });
    const answers = await Promise.all([
      ask({ path: '/v1/events', headers: { authorization } }),
      ask({ method: 'POST', path: '/v1/sources', headers: json, body: source }),
      ask({ method: 'DELETE', path: `/v1/sources/src_${'0'.repeat(26)}`, headers: { authorization } }),
    ]);
    for (const answer of answers) {
      expectProblem(answer, 503, 'unavailable');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  test('of our own is 500, tells the client nothing, and is logged', async () => {
    const { log, lines } = createKeptLog();
    const { ask } = buildTestApp({ log });
    const answer = await ask({ path: '/v1/events', headers: { authorization } });
    expectProblem(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('database');
    expect(lines.map(({ event }) => event)).toContain('request.failed');
  });
});

test('a body that its client aborts is no failure of ours', async () => {
  const { log, lines } = createKeptLog();
  const { app } = buildTestApp({ log });
  const socket = connect(await listen(app), '127.0.0.1');
  socket.write(
    `POST /v1/sources HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"na`,
  );
  await once(app.server, 'request');
  setImmediate(() => socket.destroy());
  await waitUntil('it is logged', () => lines.some(({ event }) => event === 'request.aborted'));
  expect(lines.map(({ event }) => event)).not.toContain('request.failed');
});

describe('what is kept of requests', () => {
  test('is one line and one observation each, with the route’s pattern, and no secret', async () => {
    const { log, lines } = createKeptLog();
    const { ask, metrics } = buildTestApp({ log });
    const secret = 'a-secret-of-the-sender';
    await ask({ method: 'POST', path: '/v1/sources', headers: json, body: { ...source, secret } });
    await ask({ method: 'POST', path: '/v1/sources', headers: json, body: { ...source, secret, x: secret } });
    await ask({ path: '/v1/sources/src_1', headers: json });
    await ask({ path: '/nothing/here' });
    await ask({ method: 'PUT', path: '/v1/sources/src_1' });

    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(adminKey);
    expect(
      lines
        .filter(({ event }) => event === 'request.answered')
        .map(({ method, route, status }) => [method, route, status]),
    ).toEqual([
      ['POST', '/v1/sources', 500],
      ['POST', '/v1/sources', 400],
      ['GET', '/v1/sources/:id', 404],
      ['GET', 'unknown', 404],
      ['PUT', '/v1/sources/:id', 405],
    ]);
    const { values } = (await metrics.getSingleMetric('hookline_api_request_seconds')?.get()) ?? { values: [] };
    const counted = (values as { metricName?: string; labels: object }[]).filter(({ metricName }) =>
      metricName?.endsWith('_count'),
    );
    expect(counted.map(({ labels }) => labels)).toContainEqual({ method: 'GET', route: 'unknown', status: 404 });
    expect(counted).toHaveLength(5);
  });
});
