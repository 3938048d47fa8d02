import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { type FakeApi, problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';
import { eventId, eventUrl, hostile, sampleEvent } from '../../support/console/sample-events.ts';

const jump = (q: string) => `/t/acme/jump?q=${encodeURIComponent(q)}`;

/** Events by the filter that finds them; no endpoint and no source. */
function giveEvents(
  api: FakeApi,
  found: Readonly<Record<string, readonly object[]>>,
  unfinished: readonly string[] = [],
): void {
  api.on('GET /v1/events', ({ path }) => {
    const filter =
      [...new URL(path, 'http://api').searchParams.keys()].find((name) => name !== 'order' && name !== 'limit') ?? '';
    return {
      body: found[filter] ?? [],
      ...(unfinished.includes(filter) && { headers: { link: '<http://api/v1/events?page=p>; rel="next"' } }),
    };
  });
  api.on('GET /v1/endpoints', { body: [] });
  api.on('GET /v1/sources', { body: [] });
}

test.each([
  ['evt_1', '/v1/events/evt_1', '/events/evt_1'],
  ['dlv_1', '/v1/deliveries/dlv_1', '/deliveries/dlv_1'],
  ['dl_1', '/v1/dead-letters/dl_1', '/dead-letters/dl_1'],
  ['ep_1', '/v1/endpoints/ep_1', '/endpoints/ep_1'],
  ['src_1', '/v1/sources/src_1', '/sources/src_1'],
  ['rpl_1', '/v1/replays/rpl_1', '/replays/rpl_1'],
  ['key_1', '/v1/api-keys/key_1', '/keys/key_1'],
])('%s leads to its page', async (id, api, page) => {
  const built = buildTestConsole();
  built.api.on(`GET ${api}`, { body: { id } });
  const answer = await built.get(jump(` ${id} `), tenantToken);
  expect([answer.statusCode, answer.headers.location]).toEqual([303, `/t/acme${page}`]);
});

test.each([
  ['in_1', 'event_id', eventUrl],
  ['rcp_01m84xk2v4q9nd1m0e6e0kxv7t', 'receipt_id', eventUrl],
  ['0af7651916cd43dd8448eb211c80319c', 'trace_id', eventUrl],
  ['customer:cus_9', 'tag', eventUrl],
  ['invoice.paid', 'type', '/t/acme/events?type=invoice.paid'],
])('%s leads to what has it as %s', async (text, filter, page) => {
  const { get, api } = buildTestConsole();
  giveEvents(api, { [filter]: [sampleEvent()] });
  const answer = await get(jump(text), tenantToken);
  expect([answer.statusCode, answer.headers.location]).toEqual([303, page]);
});

test('a provider’s id that begins like one of ours is found, too', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, { event_id: [sampleEvent()] });
  expect((await get(jump('evt_1NqX'), tenantToken)).headers.location).toBe(eventUrl);
  api.on('GET /v1/api-keys/key_9', problemReply(403, 'forbidden'));
  expect((await get(jump('key_9'), readToken)).headers.location).toBe(eventUrl);
});

test('several events of a tag are a list', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, { tag: [sampleEvent(), sampleEvent({ id: 'evt_2' })] });
  expect((await get(jump('customer:cus_9'), tenantToken)).headers.location).toBe('/t/acme/events?tag=customer%3Acus_9');
});

test('several things are a choice', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, { event_id: [sampleEvent()] });
  api.on('GET /v1/endpoints', { body: [{ id: 'ep_1', url: `https://crm.example/${hostile}` }] });
  const { statusCode, body } = await get(jump('crm'), tenantToken);
  expect(statusCode).toBe(200);
  expect(body).toContain(`href="${eventUrl}"`);
  expect(body).toContain('href="/t/acme/endpoints/ep_1"');
  expect(body).not.toMatch(/<script>|<img/);
});

test('what was not found everywhere is not “nothing”', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, {}, ['trace_id']);
  const { statusCode, body } = await get(jump('0af7651916cd43dd8448eb211c80319c'), tenantToken);
  expect(statusCode).toBe(200);
  expect(body).toContain('Nothing found yet');
  expect(body).toContain('/t/acme/events?trace_id=0af7651916cd43dd8448eb211c80319c');
});

test('nothing is a 404 that keeps the words, a deleted thing a 410, and too few letters a 400', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, {});
  const nothing = await get(jump(hostile), tenantToken);
  expect(nothing.statusCode).toBe(404);
  expect(nothing.body).toContain('&lt;script&gt;');
  api.on('GET /v1/endpoints/ep_1', problemReply(410, 'gone'));
  expect((await get(jump('ep_1'), tenantToken)).statusCode).toBe(410);
  for (const q of ['', 'ab', '  ab  ']) expect((await get(jump(q), tenantToken)).statusCode).toBe(400);
  expect((await get(jump('x'.repeat(400)), tenantToken)).statusCode).toBe(404);
});

test('what the API refuses as a filter is none of that kind', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, {});
  api.on('GET /v1/events', problemReply(400, 'invalid_request'));
  expect((await get(jump('what:ever'), tenantToken)).statusCode).toBe(404);
});

test('an API that is away is a 503, never “nothing”', async () => {
  const { get, api } = buildTestConsole();
  giveEvents(api, {});
  api.on('GET /v1/sources', 'away');
  expect((await get(jump('anything'), tenantToken)).statusCode).toBe(503);
  api.on(`GET /v1/events/${eventId}`, 'away');
  expect((await get(jump(eventId), tenantToken)).statusCode).toBe(503);
});
