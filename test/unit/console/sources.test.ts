import { nextId } from '../../../services/console/sources/rejections.ts';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { operatorToken, problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';

const id = 'src_01m84xk2v4q9nd1m0e6e0kxv7t';
const rejectionId = 'rej_01m84xk2v4q9nd1m0e6e0kxv7t';
const url = `/t/acme/sources/${id}`;

const source = {
  id,
  name: 'Stripe <live>',
  scheme: 'stripe',
  ingest_url: `https://in.example/v1/webhooks/${id}`,
  dedup: 'on',
  identified_by: { places: ['/id'], with: null },
  advice: [],
  dedup_ttl_seconds: 259_200,
  timestamp_tolerance_seconds: 300,
  response_status: 202,
  tags_from: { customer: '/data/customer', plan: '/data/plan' },
  created_at: '2026-01-01T00:00:00.123456Z',
};

const rejection = {
  id: rejectionId,
  at: '2026-01-01T00:00:01.000000Z',
  code: 'signature_invalid',
  client_address: '192.0.2.7',
  headers: { 'stripe-signature': 't=1,v1=<script>', accept: ['*/*', 'a/b'] },
  body_bytes: 12,
  body: '{"one":1.0}\n',
  body_encoding: 'utf-8',
  body_truncated: false,
};

const stats = {
  series: [
    { series: 'received', key: id, counts: [{ count: 1_200 }, { count: 4 }] },
    { series: 'received', key: 'src_other', counts: [{ count: 7 }] },
  ],
};

function withSource(given: object = {}) {
  const built = buildTestConsole();
  const { api } = built;
  api.on(`GET /v1/sources/${id}`, { body: { ...source, ...given }, headers: { etag: '"v1"' } });
  api.on('GET /v1/sources', { body: [source] });
  api.on('GET /v1/stats', { body: stats });
  api.on('GET /v1/events', { body: [] });
  api.on(`GET /v1/sources/${id}/rejections`, { body: [rejection] });
  api.on(`POST /v1/sources/${id}/sample`, { body: { body: '{}', curl: 'curl' } });
  return built;
}

const bodyOf = (call: { body?: string | undefined } | undefined): unknown => JSON.parse(call?.body ?? 'null');
const keyOf = (text: string): string => /name="idempotency_key" value="([^"]+)"/.exec(text)?.[1] ?? '';

test('sources are listed by their names, with what is hostile as text', async () => {
  const { get } = withSource();
  const answer = await get('/t/acme/sources', tenantToken);
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('Stripe &lt;live&gt;');
  expect(answer.body).not.toContain('<live>');
  expect(answer.body).toContain(`href="${url}"`);
});

test('no source yet: 200 with how to begin; a name that none has: 404 with the form kept', async () => {
  const { get, api } = buildTestConsole();
  api.on('GET /v1/sources', { body: [] });
  const empty = await get('/t/acme/sources', tenantToken);
  expect([empty.statusCode, empty.body.includes('hookline sources create')]).toEqual([200, true]);
  const filtered = await get('/t/acme/sources?q=%22zz', tenantToken);
  expect(filtered.statusCode).toBe(404);
  expect(filtered.body).toContain('value="&quot;zz"');
});

test.each(['', '/edit', '/rotate', '/delete', '/rejections', '/verify', '/sample', `/rejections/${rejectionId}`])(
  'an unknown source is a 404 at %j, a deleted one a 410, and 503 while the API is away',
  async (below) => {
    const { get, api } = withSource();
    expect((await get(url + below, tenantToken)).statusCode).not.toBe(404);
    for (const [reply, status] of [
      [problemReply(404, 'not_found'), 404],
      [problemReply(410, 'gone'), 410],
      ['away', 503],
    ] as const) {
      api.on(`GET /v1/sources/${id}`, reply);
      api.on(`POST /v1/sources/${id}/sample`, reply);
      expect((await get(url + below, tenantToken)).statusCode).toBe(status);
    }
  },
);

test('a source says what to enter at the provider, what came, and what was rejected', async () => {
  const { get } = withSource();
  const { body, statusCode } = await get(url, tenantToken);
  expect(statusCode).toBe(200);
  for (const text of [source.ingest_url, 'Stripe-Signature', 'application/json', '1,204', '192.0.2.7', '/data/plan'])
    expect(body).toContain(text);
  expect(body).toContain(`href="/t/acme/events?source_id=${id}"`);
  // Nothing was rejected in these hours, so its count links nowhere.
  expect(body).toContain('<dt>Rejected</dt><dd>0</dd>');
});

test('without the counts, a source is shown all the same', async () => {
  const { get, api } = withSource();
  api.on('GET /v1/stats', problemReply(503, 'unavailable'));
  const { body, statusCode } = await get(url, tenantToken);
  expect([statusCode, body.includes('are unavailable')]).toEqual([200, true]);
});

test('who may only read sees no action, and is refused each', async () => {
  const { get, post, api } = withSource();
  const { body } = await get(url, readToken);
  for (const below of ['edit', 'rotate', 'delete', 'sample']) {
    expect(body).not.toContain(`${url}/${below}`);
    expect((await get(`${url}/${below}`, readToken)).statusCode).toBe(403);
    expect((await post(`${url}/${below}`, {}, readToken)).statusCode).toBe(403);
  }
  expect((await get('/t/acme/sources', readToken)).body).not.toContain('New source');
  const refused = await get('/t/acme/sources/new', readToken);
  expect([refused.statusCode, refused.body.includes('scope write')]).toEqual([403, true]);
  expect(api.calls.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect((await get(`${url}/verify`, readToken)).statusCode).toBe(200);
});

describe('a new source', () => {
  const made = { ...source, secret: 'whsec_made<1>' };

  test('begins with its scheme, and asks for what that needs', async () => {
    const { get } = buildTestConsole();
    const choice = await get('/t/acme/sources/new', tenantToken);
    expect(choice.body).toContain('href="/t/acme/sources/new?scheme=standard-webhooks"');
    expect((await get('/t/acme/sources/new?scheme=none', tenantToken)).statusCode).toBe(400);
    const square = await get('/t/acme/sources/new?scheme=square', tenantToken);
    expect(square.body).toContain('name="public_url" required');
    const hmac = await get('/t/acme/sources/new?scheme=hmac', tenantToken);
    expect(hmac.body).toContain('name="hmac/signed" required');
    expect((await get('/t/acme/sources/new?scheme=stripe', tenantToken)).body).not.toContain('hmac/signed');
  });

  test('shows its secret once: 201, with the key of the form, so that a reload makes no second one', async () => {
    const { post, api } = withSource();
    api.on('POST /v1/sources', { status: 201, body: made });
    const fields = {
      name: 'Mine',
      secret: '',
      'hmac/header': 'X-Sig',
      'hmac/algorithm': 'sha256',
      'hmac/encoding': 'hex',
      'hmac/signed': 'body',
      'hmac/prefix': '',
      allowed_ips: '192.0.2.1\r\n\r\n192.0.2.0/24',
      'rate_limit/per_second': '5',
      'rate_limit/burst': 'many',
      tags_from: 'a = /b=c',
      response_status: '202',
    };
    const answer = await post('/t/acme/sources/new?scheme=hmac', fields, tenantToken);
    expect(answer.statusCode).toBe(201);
    expect(answer.body).toContain('whsec_made&lt;1&gt;');
    expect(answer.body).toContain(source.ingest_url);
    const call = api.calls.at(-1);
    expect(call?.headers['idempotency-key']).toBe('key-of-the-form');
    expect(bodyOf(call)).toEqual({
      name: 'Mine',
      scheme: 'hmac',
      hmac: { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', signed: 'body' },
      allowed_ips: ['192.0.2.1', '192.0.2.0/24'],
      rate_limit: { per_second: 5, burst: 'many' },
      tags_from: { a: '/b=c' },
      response_status: 202,
    });
  });

  test('with a secret of one’s own does not show it', async () => {
    const { post, api } = withSource();
    api.on('POST /v1/sources', { status: 201, body: { ...made, secret: 'my own' } });
    const answer = await post('/t/acme/sources/new?scheme=stripe', { name: 'x', secret: 'my own' }, tenantToken);
    expect([answer.statusCode, answer.body.includes('my own')]).toEqual([201, false]);
    expect(bodyOf(api.calls.at(-1))).toEqual({ name: 'x', scheme: 'stripe', secret: 'my own' });
  });

  test('that the API refuses as a whole comes back with the reason', async () => {
    const { post, api } = withSource();
    api.on('POST /v1/sources', problemReply(400, 'validation_failed', { detail: 'The body is not valid' }));
    const answer = await post('/t/acme/sources/new?scheme=github', { name: 'Shop' }, tenantToken);
    expect([answer.statusCode, answer.body.includes('The body is not valid')]).toEqual([400, true]);
  });

  test('that is wrong comes back filled in, with the message at its field', async () => {
    const { post, api } = withSource();
    const errors = [
      { field: '/allowed_ips/0', message: 'must be an address' },
      { field: '/name', message: 'must be text' },
    ];
    api.on('POST /v1/sources', problemReply(400, 'validation_failed', { errors }));
    const answer = await post('/t/acme/sources/new?scheme=github', { name: '"><b>', allowed_ips: 'x' }, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(answer.body).toContain('id="field-allowed_ips-error">must be an address');
    expect(answer.body).toContain('href="#field-name"');
    // It is below “More settings”, which must not hide it.
    expect(answer.body).toContain('<details class="more" open>');
    expect(keyOf(answer.body)).not.toBe('key-of-the-form');
  });
});

test('a source says which of its identifiers came back with another body, and what else is to be looked at', async () => {
  const { get, api } = withSource({ advice: ['The header is that of <github>'] });
  api.on('GET /v1/events', { body: [{ event_id: 'order <7>' }] });
  const { body } = await get(url, tenantToken);
  expect(body).toContain('came back with another body, such as <code>order &lt;7&gt;</code>');
  expect(body).toContain('The header is that of &lt;github&gt;.');
});

describe('editing a source', () => {
  const fields = { name: 'New name', etag: '"v1"', tags_from: 'customer = /data/customer', dedup_id: '/id\r\n/x' };

  test('carries the ETag that was shown, and goes back to it', async () => {
    const { get, post, api } = withSource({ public_url: 'https://kept.example/' });
    const form = await get(`${url}/edit`, tenantToken);
    expect(form.body).toContain('name="etag" value="&quot;v1&quot;"');
    expect(form.body).toContain('customer = /data/customer\nplan = /data/plan');
    api.on(`PATCH /v1/sources/${id}`, { body: source });
    const saved = await post(`${url}/edit`, fields, tenantToken);
    expect([saved.statusCode, saved.headers.location]).toEqual([303, url]);
    const call = api.calls.at(-1);
    expect(call?.headers['if-match']).toBe('"v1"');
    const body = bodyOf(call);
    expect(body).toMatchObject({
      name: 'New name',
      tags_from: { customer: '/data/customer', plan: null },
      dedup_id: ['/id', '/x'],
      allowed_ips: null,
    });
    // A setting that the form of this scheme does not show stays as it is.
    expect(body).not.toHaveProperty('public_url');
    expect(body).not.toHaveProperty('verify_token');
  });

  test('leaves an older source its default identifier, unless that of today is chosen', async () => {
    const older = { scheme: 'hmac', hmac: { algorithm: 'sha256', encoding: 'hex', header: 'X', signed: 'body' } };
    const { get, post, api } = withSource(older);
    expect((await get(`${url}/edit`, tenantToken)).body).toContain('name="dedup_default"');
    api.on(`PATCH /v1/sources/${id}`, { body: source });
    const kept = { ...fields, dedup_id: '' };
    await post(`${url}/edit`, kept, tenantToken);
    expect(bodyOf(api.calls.at(-1))).not.toHaveProperty('dedup_id');
    await post(`${url}/edit`, { ...kept, dedup_default: '1' }, tenantToken);
    expect(bodyOf(api.calls.at(-1))).toMatchObject({ dedup_id: null, dedup: null });
    await post(`${url}/edit`, { ...kept, dedup_id: '["/id","/at"]\r\n/id', dedup_off: '1' }, tenantToken);
    expect(bodyOf(api.calls.at(-1))).toMatchObject({ dedup_id: [['/id', '/at'], '/id'], dedup: 'off' });
  });

  test('that was overtaken is a 412 with both versions, and the next save replaces what was shown', async () => {
    const { post, api } = withSource({ name: 'Theirs' });
    api.on(`GET /v1/sources/${id}`, { body: { ...source, name: 'Theirs' }, headers: { etag: '"v2"' } });
    api.on(`PATCH /v1/sources/${id}`, problemReply(412, 'precondition_failed'));
    const answer = await post(`${url}/edit`, fields, tenantToken);
    expect(answer.statusCode).toBe(412);
    for (const text of ['<code>Theirs</code>', '<code>New name</code>', 'value="New name"', '&quot;v2&quot;'])
      expect(answer.body).toContain(text);
  });

  test('that was saved just so, by the first click of two, is saved', async () => {
    const { post, api } = withSource({ tags_from: undefined });
    api.on(`PATCH /v1/sources/${id}`, problemReply(412, 'precondition_failed'));
    const same = {
      name: source.name,
      dedup_ttl_seconds: '259200',
      timestamp_tolerance_seconds: '300',
      response_status: '202',
    };
    expect((await post(`${url}/edit`, { ...same, etag: '"v0"' }, tenantToken)).statusCode).toBe(303);
  });

  test('with errors keeps what was entered', async () => {
    const { post, api } = withSource();
    const errors = [{ field: '/dedup_id/1', message: 'must be a place' }];
    api.on(`PATCH /v1/sources/${id}`, problemReply(400, 'validation_failed', { errors }));
    const answer = await post(`${url}/edit`, fields, tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('must be a place');
    expect(answer.body).toContain('value="New name"');
  });
});

describe('the secret of a source', () => {
  test('is rotated with an overlap, and the new one is shown once', async () => {
    const { get, post, api } = withSource();
    expect((await get(`${url}/rotate`, tenantToken)).body).toContain('value="86400" selected');
    const until = '2026-01-02T00:00:00.000000Z';
    api.on(`POST /v1/sources/${id}/rotate-secret`, { body: { secret: 'whsec_new', previous_expires_at: until } });
    const answer = await post(`${url}/rotate`, { secret: '', overlap_seconds: '3600' }, tenantToken);
    expect(answer.statusCode).toBe(201);
    expect(answer.body).toContain('whsec_new');
    expect(answer.body).toContain(until);
    expect(bodyOf(api.calls.at(-1))).toEqual({ overlap_seconds: 3_600 });
    const own = await post(`${url}/rotate`, { secret: 'theirs', overlap_seconds: '0' }, tenantToken);
    expect(own.body).not.toContain('whsec_new');
    expect(bodyOf(api.calls.at(-1))).toEqual({ overlap_seconds: 0, secret: 'theirs' });
  });

  test('that is wrong, or one too many, is said', async () => {
    const { post, api } = withSource();
    const errors = [{ field: '/secret', message: 'must be hex' }];
    api.on(`POST /v1/sources/${id}/rotate-secret`, problemReply(400, 'validation_failed', { errors }));
    const wrong = await post(`${url}/rotate`, { secret: 'x', overlap_seconds: '604800' }, tenantToken);
    expect([wrong.statusCode, wrong.body.includes('must be hex')]).toEqual([400, true]);
    expect(wrong.body).toContain('value="604800" selected');
    const full = problemReply(409, 'conflict', { detail: '5 secrets are valid' });
    api.on(`POST /v1/sources/${id}/rotate-secret`, full);
    const conflict = await post(`${url}/rotate`, {}, tenantToken);
    expect([conflict.statusCode, conflict.body.includes('5 secrets are valid')]).toEqual([409, true]);
  });
});

test('a source is deleted after a question, and twice is once', async () => {
  const { get, post, api } = withSource();
  expect((await get(`${url}/delete`, tenantToken)).body).toContain('can’t be restored');
  api.on(`DELETE /v1/sources/${id}`, { status: 204 });
  expect((await post(`${url}/delete`, {}, tenantToken)).headers.location).toBe('/t/acme/sources');
  api.on(`DELETE /v1/sources/${id}`, problemReply(410, 'gone'));
  expect((await post(`${url}/delete`, {}, tenantToken)).statusCode).toBe(303);
  api.on(`DELETE /v1/sources/${id}`, problemReply(404, 'not_found'));
  expect((await post(`${url}/delete`, {}, tenantToken)).statusCode).toBe(404);
});

describe('rejected webhooks', () => {
  test('are listed with the reason; none is a 200', async () => {
    const { get, api } = withSource();
    const some = await get(`${url}/rejections`, tenantToken);
    expect(some.body).toContain('The signature does not match the body');
    api.on(`GET /v1/sources/${id}/rejections`, { body: [] });
    const none = await get(`${url}/rejections`, tenantToken);
    expect([none.statusCode, none.body.includes('Nothing was rejected')]).toEqual([200, true]);
    expect((await get(`${url}/rejections?cursor=${rejectionId}`, tenantToken)).statusCode).toBe(404);
  });

  test('are shown with their bytes as they came, and hostile ones as text', async () => {
    const { get, api } = withSource();
    const { body, statusCode } = await get(`${url}/rejections/${rejectionId}`, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('>1.0<');
    expect(body).toContain('t=1,v1=&lt;script&gt;');
    expect(body).toContain(`${url}/verify?rejection=${rejectionId}`);
    expect(api.calls.at(-1)?.path).toContain(`cursor=${nextId(rejectionId)}&limit=1`);
  });

  test('shows a body that is not text as its bytes', async () => {
    const { get, api } = withSource();
    const bytes = Buffer.from([0, 1, 0xff, 0x41]);
    const body = { ...rejection, body: bytes.toString('base64'), body_encoding: 'base64' };
    api.on(`GET /v1/sources/${id}/rejections`, { body: [body] });
    const shown = await get(`${url}/rejections/${rejectionId}`, tenantToken);
    expect(shown.body).toMatch(/00000000 {2}00 01 ff 41 +\|\.\.\.A\|/);
    expect(shown.body).not.toContain(body.body);
  });

  test.each(['rej_01m84xk2v4q9nd1m0e6e0kxv7s', 'rej_x', 'REJ'])('%s, which never was, is a 404', async (other) => {
    const { get } = withSource();
    expect((await get(`${url}/rejections/${other}`, tenantToken)).statusCode).toBe(404);
    expect((await get(`${url}/verify?rejection=${other}`, tenantToken)).statusCode).toBe(404);
  });

  test('the next id is the next in their order', () => {
    expect(nextId('rej_00a')).toBe('rej_00b');
    expect(nextId('rej_0hz')).toBe('rej_0j0');
    expect(nextId('rej_09zz')).toBe('rej_0a00');
    expect(nextId('rej_zz')).toBeUndefined();
  });
});

describe('why a signature is wrong', () => {
  const verification = {
    verified: false,
    step: 'timestamp',
    status: 401,
    code: 'timestamp_out_of_tolerance',
    detail: 'Send `t` <now>',
    challenge: false,
    not_checked: ['address'],
  };

  test('is asked with what was pasted, and answered with the step and what to do', async () => {
    const { post, api } = withSource();
    api.on(`POST /v1/sources/${id}/verify`, { body: verification });
    const headers = 'POST /x HTTP/1.1\r\nStripe-Signature: t=1,v1=a:b \r\nx-two:1\r\nX-Two: 2\r\n';
    const answer = await post(`${url}/verify`, { headers, body: '{\r\n}', query: 'a=b' }, readToken);
    expect(answer.statusCode).toBe(200);
    expect(bodyOf(api.calls.at(-1))).toEqual({
      headers: { 'stripe-signature': 't=1,v1=a:b', 'x-two': ['1', '2'] },
      body: '{\n}',
      query: '?a=b',
    });
    expect(answer.body).toContain('Send <code>t</code> &lt;now&gt;.');
    expect(answer.body).toContain('Time of the signature: ✕ fails');
    expect(answer.body).toContain('The signature itself: not reached');
    expect(answer.body).toContain('x-two:1');
  });

  test('of a rejected webhook is asked with what was kept of it', async () => {
    const { get } = withSource();
    const { body } = await get(`${url}/verify?rejection=${rejectionId}`, readToken);
    expect(body).toContain('stripe-signature: t=1,v1=&lt;script&gt;\naccept: */*\naccept: a/b');
    expect(body).toContain('{&quot;one&quot;:1.0}');
    expect(body).toContain('value="192.0.2.7"');
  });

  test('what is no header is a 400 that names the line; what the API refuses, too', async () => {
    const { post, api } = withSource();
    const answer = await post(`${url}/verify`, { headers: 'a: b\r\nnonsense', body: 'kept' }, readToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('see line 2');
    expect(answer.body).toContain('kept');
    const errors = [{ field: '/body', message: 'must be base64 with padding' }];
    api.on(`POST /v1/sources/${id}/verify`, problemReply(400, 'validation_failed', { errors }));
    const refused = await post(`${url}/verify`, { headers: '', body: 'é', body_encoding: 'base64' }, readToken);
    expect([refused.statusCode, refused.body.includes('must be base64')]).toEqual([400, true]);
  });
});

test('a sample is signed anew each time, and shown as commands', async () => {
  const { get, post, api } = withSource();
  const curl = "curl -sS 'https://in.example' -H 'Stripe-Signature: t=1,v1=<x>'";
  api.on(`POST /v1/sources/${id}/sample`, { body: { url: '', headers: {}, body: '{}', body_encoding: 'text', curl } });
  const first = await get(`${url}/sample`, operatorToken);
  expect(first.statusCode).toBe(200);
  expect(first.body).toContain('v1=&lt;x&gt;');
  expect(first.body).toContain(`hookline send ${id} --secret &#39;…&#39; --tenant acme`);
  expect((await post(`${url}/sample`, { body: '{\r\n}' }, tenantToken)).statusCode).toBe(200);
  expect(bodyOf(api.calls.at(-1))).toEqual({ body: '{\n}' });
  const detail = 'the source has the public key';
  api.on(`POST /v1/sources/${id}/sample`, problemReply(409, 'conflict', { detail }));
  const refused = await get(`${url}/sample`, tenantToken);
  expect([refused.statusCode, refused.body.includes(detail)]).toEqual([409, true]);
});
