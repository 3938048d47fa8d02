import { type ApiClientOptions, createApiClient, sendAgain } from '#lib/api-client';
import { createManualClock } from '#lib/clock';
import { type Answered, startFakeApi } from '../cli/fake-api.ts';

let answers: Answered[];
let api: Awaited<ReturnType<typeof startFakeApi>>;
beforeEach(async () => {
  answers = [];
  api = await startFakeApi((_asked, index) => answers[index] ?? { status: 500 });
});
afterEach(() => api.stop());

const clientOf = (more: Partial<ApiClientOptions> = {}) =>
  createApiClient({ url: api.env.HOOKLINE_API_URL, credential: 'a-key', ...more });

const clock = { ...createManualClock(), sleep: async () => undefined };
const resend: NonNullable<ApiClientOptions['resendPost']> = async (send) =>
  (await sendAgain(send, { clock, random: Math.random, maxAttempts: 4, onRetry: () => undefined })).result;

test('a request has the credential, the tenant, the ETag and its body as JSON; the value comes back', async () => {
  answers.push({ status: 200, body: { id: 'src_1' } });
  const result = await clientOf({ tenant: 'acme' }).request('PATCH', '/sources/src_1', {
    body: { name: 'x' },
    ifMatch: '"1"',
  });
  expect(result).toEqual({ ok: true, value: { id: 'src_1' } });
  expect(api.asked).toMatchObject([
    {
      method: 'PATCH',
      path: '/v1/sources/src_1',
      headers: { authorization: 'Bearer a-key', 'hookline-tenant': 'acme', 'if-match': '"1"' },
      body: { name: 'x' },
    },
  ]);
  expect(api.asked[0]?.headers).not.toHaveProperty('idempotency-key');
});

test('an answer without a body is a value of its own', async () => {
  answers.push({ status: 204 });
  expect(await clientOf().request('DELETE', '/sources/src_1')).toEqual({ ok: true, value: undefined });
});

test('a POST is resent with its own key until there is an answer; another POST has another key', async () => {
  answers.push(
    { status: 503, headers: { 'retry-after': '2' } },
    { status: 409, headers: { 'retry-after': '1' } },
    { status: 504 },
    { status: 201 },
    { status: 201 },
  );
  const client = clientOf({ resendPost: resend });
  expect(await client.request('POST', '/sources', { body: {} })).toMatchObject({ ok: true });
  expect(await client.request('POST', '/sources', { body: {} })).toMatchObject({ ok: true });
  const [first, ...others] = api.asked.map(({ headers }) => headers['idempotency-key']);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(others.slice(0, 3)).toEqual([first, first, first]);
  expect(others[3]).toMatch(/^[0-9a-f-]{36}$/);
  expect(others[3]).not.toBe(first);
});

test('a conflict that will not pass, and whatever a PATCH or DELETE gets, is not resent', async () => {
  answers.push({ status: 409 }, { status: 503 }, { status: 503 });
  const client = clientOf({ resendGet: resend, resendPost: resend });
  for (const method of ['POST', 'PATCH', 'DELETE'] as const)
    expect(await client.request(method, '/sources/1')).toMatchObject({ ok: false });
  expect(api.asked).toHaveLength(3);
});

test('a refusal is the API’s problem details, with the status and Retry-After', async () => {
  const problem = { title: 'Too many requests', status: 429, code: 'rate_limited', detail: 'Later' };
  answers.push({ status: 429, body: problem, headers: { 'retry-after': '7' } });
  expect(await clientOf().request('GET', '/sources')).toEqual({
    ok: false,
    failure: { kind: 'problem', status: 429, problem, retryAfter: '7' },
  });
});

test.each([
  [502, 'a proxy'],
  [302, {}],
  [200, undefined],
])('an answer %i that is not the API’s is a failure, not a value and not an exception', async (status, body) => {
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => {
    response.writeHead(status).end(body === undefined ? '<html>' : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    for (const call of ['request', 'page'] as const) {
      const client = createApiClient({ url: `http://127.0.0.1:${port}`, credential: 'a-key' });
      const result = await (call === 'page' ? client.page('/events') : client.request('GET', '/events'));
      expect(result).toMatchObject({ ok: false, failure: { kind: 'unexpected_answer', status } });
    }
  } finally {
    server.close();
  }
});

test('an API that is away is a failure with its reason', async () => {
  const client = clientOf();
  await api.stop();
  for (const result of [await client.request('GET', '/sources'), await client.list('/sources', 5)])
    expect(result).toEqual({
      ok: false,
      failure: { kind: 'no_answer', url: api.env.HOOKLINE_API_URL, reason: expect.stringMatching(/ECONN/) as string },
    });
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
  expect(await clientOf().list('/events?type=a', 3)).toEqual({ ok: true, value: [1, 2, 3] });
  expect(api.asked.map(({ path }) => path)).toEqual(['/v1/events?type=a&limit=3', '/v1/events?cursor=c1&limit=3']);
});

test('a list that fails half-way is a failure, not half a list', async () => {
  answers.push({ status: 200, body: [1], headers: { link: '</v1/events?cursor=c1>; rel="next"' } });
  expect(await clientOf().list('/events', 10)).toMatchObject({ ok: false, failure: { status: 500 } });
});

test('a page has its items, the next page and the cursor; a poll without a change has no items', async () => {
  answers.push(
    { status: 200, body: [1], headers: { 'hookline-cursor': 'c1', link: '</v1/events?cursor=c1>; rel="next"' } },
    { status: 204, headers: { 'hookline-cursor': 'c2' } },
  );
  const client = clientOf();
  expect(await client.page('/events')).toEqual({
    ok: true,
    value: { items: [1], next: '/events?cursor=c1', cursor: 'c1', answeredAtMs: expect.any(Number) as number },
  });
  expect(await client.page('/events?cursor=c1&wait=1')).toEqual({
    ok: true,
    value: { items: [], next: undefined, cursor: 'c2', answeredAtMs: expect.any(Number) as number },
  });
});
