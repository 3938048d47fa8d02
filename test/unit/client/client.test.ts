import { createServer } from 'node:http';
import { ApiError, type ClientOptions, connect } from '#client';
import { type Answered, startFakeApi } from '../cli/fake-api.ts';

let answers: Answered[];
let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeEach(async () => {
  answers = [];
  api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 }, { readsTenants: true });
});
afterEach(() => api.stop());

const clientOf = (more: Partial<Omit<ClientOptions, 'transport'>> = {}) =>
  connect(api.env.HOOKLINE_API_URL, { credential: 'a-key', ...more });

const params = { id: 'acme' };
const body = { name: 'x' };

test('a call has the credential, the tenant, the ETag and its body as JSON; the value comes back with its ETag', async () => {
  answers.push({ status: 200, body: { id: 'acme' }, headers: { etag: '"2"' } });
  const given = { params, body, ifMatch: '"1"' };
  const asked = await clientOf({ tenant: '*' }).ask('PUT /v1/tenants/:id', given);
  expect(asked).toEqual({ ok: true, value: { id: 'acme' }, etag: '"2"', status: 200 });
  expect(api.asked).toMatchObject([
    {
      method: 'PUT',
      path: '/v1/tenants/acme',
      headers: { authorization: 'Bearer a-key', 'hookline-tenant': '*', 'if-match': '"1"' },
      body: { name: 'x' },
    },
  ]);
  expect(api.asked[0]?.headers).not.toHaveProperty('idempotency-key');
});

test('an answer without a body is a value of its own', async () => {
  answers.push({ status: 204 });
  expect(await clientOf().call('GET /v1/system')).toBeUndefined();
});

test('no parameter leads elsewhere; those that are absent or empty are left out, and lists are repeated', async () => {
  answers.push({ status: 200, body: {} }, { status: 200, body: [] }, { status: 200, body: [] });
  const client = clientOf();
  await client.call('GET /v1/tenants/:id', { params: { id: '../keys?x=/:id' } });
  await client.call('GET /v1/audit', { query: { actor: '', action: undefined, resource: 'a&b', limit: 2 } });
  await client.call('GET /v1/audit', { query: new URLSearchParams('action=a&action=b') });
  expect(api.asked.map(({ path }) => path)).toEqual([
    '/v1/tenants/..%2Fkeys%3Fx%3D%2F%3Aid',
    '/v1/audit?resource=a%26b&limit=2',
    '/v1/audit?action=a&action=b',
  ]);
});

test('a refusal is the API’s problem details, with the status and Retry-After, thrown by a call', async () => {
  const problem = { title: 'Too many requests', status: 429, code: 'rate_limited', detail: 'Later' };
  const refused = { status: 429, body: problem, headers: { 'retry-after': '7' } };
  answers.push(refused, refused);
  const failure = { kind: 'problem', status: 429, problem, retryAfter: '7' };
  expect(await clientOf().ask('GET /v1/limits')).toEqual({ ok: false, failure });
  const error: unknown = await clientOf()
    .call('GET /v1/limits')
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ failure, message: 'answered 429 rate_limited: Later' });
});

test('a former name is a failure with the name that it has now', async () => {
  const alias = { name: 'old', kind: 'merged', target: 'new' };
  answers.push({ status: 301, body: alias });
  const asked = await clientOf().ask('GET /v1/event-types/:name', { params: { name: 'old' } });
  expect(asked).toEqual({ ok: false, failure: { kind: 'alias', status: 301, alias } });
});

test.each([
  [502, 'a proxy'],
  [301, {}],
  [302, {}],
  [200, undefined],
])('an answer %i that is not the API’s is a failure, not a value', async (status, answer) => {
  const server = createServer((_request, response) => {
    response.writeHead(status).end(answer === undefined ? '<html>' : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    const client = connect(`http://127.0.0.1:${port}`, { credential: 'a-key' });
    const failure = { kind: 'unexpected_answer', status };
    expect(await client.ask('GET /v1/system')).toMatchObject({ ok: false, failure });
    await expect(client.page('GET /v1/audit')).rejects.toMatchObject({ failure });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an API that is away is a failure with its reason', async () => {
  const client = clientOf();
  await api.stop();
  const failure = { kind: 'no_answer', reason: expect.stringMatching(/ECONN/) as string };
  expect(await client.ask('GET /v1/system')).toEqual({ ok: false, failure });
  await expect(client.page('GET /v1/audit')).rejects.toMatchObject({ failure });
});

test('an API that answers nothing is a failure when the time is up, and when nobody waits any longer', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    const left = new AbortController();
    const client = connect(`http://127.0.0.1:${port}`, { credential: 'a-key', signal: left.signal });
    const reason = 'no answer within 0.05 s';
    expect(await client.ask('GET /v1/system', { timeoutMs: 50 })).toEqual({
      ok: false,
      failure: { kind: 'no_answer', reason },
    });
    const asked = client.ask('GET /v1/system');
    left.abort();
    expect(await asked).toMatchObject({ ok: false, failure: { kind: 'no_answer' } });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('pages follow their links at the API that was asked, whatever host a link names, to the end', async () => {
  answers.push(
    {
      status: 200,
      body: [1, 2],
      headers: { link: '<https://elsewhere.test/v1/audit?cursor=c1&limit=3>; rel="next"' },
    },
    { status: 200, body: [3, 4], headers: { link: '</v1/audit?cursor=c0>; rel="prev"' } },
  );
  const items: unknown[] = [];
  for await (const page of clientOf().pages('GET /v1/audit', { query: { limit: 3 } })) items.push(...page.items);
  expect(items).toEqual([1, 2, 3, 4]);
  expect(api.asked.map(({ path }) => path)).toEqual(['/v1/audit?limit=3', '/v1/audit?cursor=c1&limit=3']);
});

test('pages that fail half-way throw, after the ones that came', async () => {
  answers.push({ status: 200, body: [1], headers: { link: '</v1/audit?cursor=c1>; rel="next"' } });
  const pages = clientOf().pages('GET /v1/audit');
  expect((await pages.next()).value).toMatchObject({ items: [1] });
  await expect(pages.next()).rejects.toMatchObject({ failure: { status: 500 } });
});

test('a list follows its pages at the API that was asked, whatever host a link names, up to its limit', async () => {
  answers.push(
    {
      status: 200,
      body: [1, 2],
      headers: { link: '<https://elsewhere.test/v1/events?cursor=c1&limit=3>; rel="next"' },
    },
    { status: 200, body: [3, 4], headers: { link: '</v1/events?cursor=c2>; rel="next"' } },
  );
  expect(await clientOf().list('GET /v1/events', 3, { query: { type: 'a' } })).toEqual([1, 2, 3]);
  expect(api.asked.map(({ path }) => path)).toEqual(['/v1/events?type=a&limit=3', '/v1/events?cursor=c1&limit=3']);
});

test('a list that fails half-way is a failure, not half a list', async () => {
  answers.push({ status: 200, body: [1], headers: { link: '</v1/events?cursor=c1>; rel="next"' } });
  await expect(clientOf().list('GET /v1/events', 10)).rejects.toMatchObject({ failure: { status: 500 } });
});

test('a document in parts says how its next part is asked for', async () => {
  answers.push(
    { status: 200, body: { webhooks: {} }, headers: { link: '</v1/event-types/export?cursor=c1>; rel="next"' } },
    { status: 200, body: { webhooks: {} } },
  );
  const first = await clientOf().part('GET /v1/event-types/export');
  expect([first.value, first.next?.toString()]).toEqual([{ webhooks: {} }, 'cursor=c1']);
  expect((await clientOf().part('GET /v1/event-types/export')).next).toBeUndefined();
});

test('a page has its items, the pages beside it and its headers; a poll without a change has no items', async () => {
  answers.push(
    { status: 200, body: [1], headers: { 'hookline-cursor': 'c1', link: '</v1/audit?cursor=c1>; rel="next"' } },
    { status: 204, headers: { 'hookline-cursor': 'c2' } },
  );
  const client = clientOf();
  const first = await client.page('GET /v1/audit');
  expect([first.items, first.next?.toString(), first.prev, first.header('hookline-cursor')]).toEqual([
    [1],
    'cursor=c1',
    undefined,
    'c1',
  ]);
  expect(await client.page('GET /v1/audit')).toMatchObject({ items: [], next: undefined });
});

test('bytes are the body as it came', async () => {
  answers.push({ status: 200, body: { a: 1 }, headers: { 'content-type': 'text/x' } });
  const { bytes, header, status } = await clientOf().bytes('GET /v1/system');
  expect([bytes.toString(), status, header('content-type')]).toEqual(['{"a":1}', 200, 'text/x']);
});

test('a request is resent as its caller says, and is the same each time', async () => {
  answers.push({ status: 503 }, { status: 200, body: {} });
  const methods: string[] = [];
  const client = clientOf({
    async resend(send, method) {
      methods.push(method);
      await send();
      return send();
    },
  });
  expect(await client.ask('GET /v1/system')).toMatchObject({ ok: true });
  expect([methods, api.asked.length]).toEqual([['GET'], 2]);
});

test('a value comes with its text, in which numbers are as they were given', async () => {
  answers.push({ status: 200, body: { rate: 1.5 } });
  const { value, text } = await clientOf().withText('GET /v1/system');
  expect([value, text]).toEqual([{ rate: 1.5 }, '{"rate":1.5}']);
});
