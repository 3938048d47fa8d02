import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';

const hostile = '"><script>alert(1)</script>';
const endpointId = 'ep_01m84xk2v4q9nd1m0e6e0kxv7t';
const id = 'dlv_01m84xk2v4q9nd1m0e6e0kxv01';
const eventId = 'evt_01m84xk2v4q9nd1m0e6e0kxv02';
const here = `/t/acme/deliveries/${id}`;

const endpoint = {
  id: endpointId,
  url: 'https://crm.example/hooks',
  description: 'CRM',
  retry: { base_seconds: 5, cap_seconds: 43_200, window_seconds: 259_200 },
  source_ids: [],
  disabled_at: null,
  paused_until: null,
};

const delivery = {
  id,
  event_id: eventId,
  event_type: 'invoice.paid',
  endpoint_id: endpointId,
  generation: 0,
  status: 'retrying',
  attempts: 2,
  next_attempt_at: '2026-01-01T01:00:00.000000Z',
  detail: 'answered 429',
  last_outcome: 'http_4xx',
  last_http_status: 429,
  last_detail: 'answered 429',
  created_at: '2025-12-31T23:00:00.000000Z',
  updated_at: '2025-12-31T23:01:00.000000Z',
};

const attempt = (number: number, more: object = {}) => ({
  attempt: number,
  at: `2025-12-31T23:0${number}:00.000000Z`,
  outcome: 'http_4xx',
  http_status: 429,
  duration_ms: 64,
  detail: 'answered 429',
  request: {
    method: 'POST',
    url: 'https://crm.example/hooks',
    headers: {
      'webhook-id': eventId,
      'webhook-timestamp': '1767222060',
      'webhook-signature': 'v1,c2lnbmF0dXJl',
      'x-passed': `it's ${hostile}`,
      'x-api-key': '***',
    },
  },
  response_headers: { 'retry-after': '900', 'x-evil': hostile },
  response_excerpt: `<script>alert("body")</script>`,
  response_excerpt_encoding: 'text',
  timing: { dns_ms: 2, connect_ms: 1.4, tls_ms: 9.2, first_byte_ms: 46, body_ms: 5_400 },
  ...more,
});

function buildDeliveries(given: { delivery?: object; attempts?: object[] } = {}) {
  const built = buildTestConsole();
  const { api } = built;
  api.on('GET /v1/endpoints', { body: [endpoint] });
  api.on('GET /v1/sources', { body: [] });
  api.on('GET /v1/deliveries', { body: [{ ...delivery, ...given.delivery }] });
  api.on(`GET /v1/deliveries/${id}`, { body: { ...delivery, ...given.delivery } });
  api.on(`GET /v1/deliveries/${id}/attempts`, { body: given.attempts ?? [attempt(1), attempt(2)] });
  api.on(`GET /v1/endpoints/${endpointId}`, { body: endpoint });
  api.on(`GET /v1/endpoints/${endpointId}/health`, { body: { breaker: { state: 'closed', since: null } } });
  return built;
}

describe('the list', () => {
  test('shows each with its endpoint, event type, status and what its last attempt came to', async () => {
    const { get } = buildDeliveries();
    const answer = await get('/t/acme/deliveries', tenantToken);
    expect(answer.statusCode).toBe(200);
    for (const shown of ['crm.example/hooks', 'invoice.paid', 'retrying', 'HTTP 429', here])
      expect(answer.body).toContain(shown);
  });

  test('asks the API three times at most, however many rows there are', async () => {
    const { get, api } = buildDeliveries();
    const many = Array.from({ length: 100 }, (_, index) => ({ ...delivery, id: `dlv_${index}` }));
    api.on('GET /v1/deliveries', { body: many });
    await get('/t/acme/deliveries', tenantToken);
    expect(api.calls.filter(({ path }) => path !== '/v1/me')).toHaveLength(3);
  });

  test('takes its filters along to a preview of what would be retried or cancelled', async () => {
    const { get, api } = buildDeliveries();
    const filters = `endpoint_id=${endpointId}&status=retrying&http_status=429&since=2026-01-01T00%3A00%3A00Z`;
    const { body } = await get(`/t/acme/deliveries?${filters}&order=asc`, tenantToken);
    const escaped = filters.replaceAll('&', '&amp;');
    expect(body).toContain(`/t/acme/replays/new?what=retry&amp;${escaped}"`);
    expect(body).toContain(`/t/acme/replays/new?what=cancel&amp;${escaped}"`);
    expect(api.calls.map(({ path }) => path)).toContain(`/v1/deliveries?${filters}&order=asc`);
  });

  test('shows no action to who may only read', async () => {
    const { get } = buildDeliveries();
    const { body, statusCode } = await get('/t/acme/deliveries', readToken);
    expect(statusCode).toBe(200);
    expect(body).not.toContain('replays/new');
  });

  test('without a match is a 404 that keeps the form; while there is nothing at all, it tells how to begin', async () => {
    const { get, api } = buildDeliveries();
    api.on('GET /v1/deliveries', { body: [] });
    const filtered = await get('/t/acme/deliveries?event_type=order.paid', tenantToken);
    expect(filtered.statusCode).toBe(404);
    expect(filtered.body).toContain('value="order.paid"');
    expect(filtered.body).not.toContain('replays/new');
    const empty = await get('/t/acme/deliveries', tenantToken);
    expect(empty.statusCode).toBe(200);
    expect(empty.body).toContain('hookline events publish');
  });

  test('reads on where the API has found nothing so far, and does not call that the end', async () => {
    const { get, api } = buildDeliveries();
    const next = { link: '<http://api/v1/deliveries?status=parked&cursor=dlv_5>; rel="next"' };
    api.on('GET /v1/deliveries?status=parked', { body: [], headers: next });
    api.on('GET /v1/deliveries?status=parked&cursor=dlv_5', { body: [delivery] });
    expect((await get('/t/acme/deliveries?status=parked', tenantToken)).body).toContain(here);

    api.on('GET /v1/deliveries?status=parked&cursor=dlv_5', { body: [], headers: next });
    const answer = await get('/t/acme/deliveries?status=parked', tenantToken);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('Nothing found so far');
    expect(answer.body).toContain('/t/acme/deliveries?status=parked&amp;cursor=dlv_5');
  });

  test('says at its field what is wrong with a filter', async () => {
    const { get, api } = buildDeliveries();
    const errors = [{ field: 'http_status', message: 'must be an HTTP status such as 503' }];
    api.on('GET /v1/deliveries', problemReply(400, 'validation_failed', { errors }));
    const answer = await get('/t/acme/deliveries?http_status=5', tenantToken);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('must be an HTTP status such as 503');
    expect(answer.body).toContain('value="5"');
  });
});

describe('a delivery', () => {
  test('shows why it waits, its attempts with their phases, and what came between them', async () => {
    const { get } = buildDeliveries();
    const { statusCode, body } = await get(here, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('Delivery of <bdi>invoice.paid</bdi>');
    expect(body).toContain('The receiver asked for time: <code>Retry-After</code> 15 min.');
    for (const shown of ['1.4 ms', '9.2 ms', '46 ms', '5.4 s', 'class="phase-first-byte"'])
      expect(body).toContain(shown);
    expect(body).toContain('1 min · Retry-After 15 min · backoff: random, up to 5 s');
    expect(body).toContain(`${here}/attempts/2`);
  });

  test('tells short waits as they were', async () => {
    const { get } = buildDeliveries({
      attempts: [
        attempt(1, { at: '2025-12-31T23:00:01.000000Z' }),
        attempt(2, { at: '2025-12-31T23:00:02.067000Z' }),
        attempt(3, { at: '2025-12-31T23:00:14.400000Z' }),
      ],
    });
    const { body } = await get(here, tenantToken);
    expect(body).toContain('1 s · Retry-After 15 min');
    expect(body).toContain('13 s · Retry-After 15 min');
  });

  const waits = [
    ['parked', { delivery: { status: 'parked' } }, 'waits for room at the endpoint'],
    ['pending', { delivery: { status: 'pending', next_attempt_at: null } }, 'is being sent, or is about to be'],
    ['due', { delivery: { next_attempt_at: '2025-12-31T23:30:00.000000Z' } }, 'is due, and waits for its turn'],
  ] as const;
  test.each(waits)('that is %s says so', async (_, given, sentence) => {
    const { get } = buildDeliveries(given);
    expect((await get(here, tenantToken)).body).toContain(sentence);
  });

  test('names the breaker and the pause of its endpoint', async () => {
    const { get, api } = buildDeliveries();
    api.on(`GET /v1/endpoints/${endpointId}/health`, { body: { breaker: { state: 'open', since: null } } });
    expect((await get(here, tenantToken)).body).toContain('circuit breaker is open');
    api.on(`GET /v1/endpoints/${endpointId}`, { body: { ...endpoint, paused_until: '2026-01-02T00:00:00.000000Z' } });
    expect((await get(here, tenantToken)).body).toContain('The endpoint is paused until');
  });

  test('tells the waits of a schedule', async () => {
    const { get, api } = buildDeliveries();
    api.on(`GET /v1/endpoints/${endpointId}`, { body: { ...endpoint, retry: { schedule: [60, 0] } } });
    const { body } = await get(here, tenantToken);
    expect(body).toContain('schedule: 1 min');
    expect(body).toContain('schedule: at once');
  });

  test('links its dead letter, and offers to replay it', async () => {
    const { get, api } = buildDeliveries({
      delivery: { status: 'dead_lettered', next_attempt_at: null, detail: 'retries_exhausted: answered 500' },
    });
    api.on('GET /v1/dead-letters', {
      body: [
        { id: 'dl_1', delivery_id: 'dlv_other' },
        { id: 'dl_2', delivery_id: id },
      ],
    });
    const { body } = await get(here, tenantToken);
    expect(body).toContain('href="/t/acme/dead-letters/dl_2"');
    expect(body).toContain('retries exhausted: answered 500');
    expect(body).toContain('Replay it');
    expect(body).not.toContain('>Cancel<');
  });

  test('of a deleted endpoint names it as text', async () => {
    const { get, api } = buildDeliveries();
    api.on(`GET /v1/endpoints/${endpointId}`, problemReply(410, 'gone'));
    const { statusCode, body } = await get(here, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('(deleted)');
    expect(body).not.toContain(`/t/acme/endpoints/${endpointId}`);
  });

  test('that never was is a 404, and one whose API is away a 503', async () => {
    const { get, api } = buildDeliveries();
    expect((await get('/t/acme/deliveries/dlv_never', tenantToken)).statusCode).toBe(404);
    api.on(`GET /v1/deliveries/${id}`, 'away');
    const away = await get(here, tenantToken);
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '5']);
  });

  test('can be copied as commands that run nothing of what others wrote', async () => {
    const { get } = buildDeliveries();
    const { body } = await get(here, tenantToken);
    expect(body).not.toContain('<script>alert');
    expect(body).toContain(String.raw`x-passed: it&#39;\&#39;&#39;s`);
    expect(body).toContain('hookline verify --scheme standard-webhooks');
    expect(body).toContain('--now 1767222060');
  });
});

describe('retry and cancel', () => {
  test('send one request with the key of the form, and go back to the delivery', async () => {
    const { post, api } = buildDeliveries();
    api.on(`POST /v1/deliveries/${id}/retry`, { status: 202, body: delivery });
    api.on(`POST /v1/deliveries/${id}/cancel`, { status: 202, body: delivery });
    for (const what of ['retry', 'cancel']) {
      const answer = await post(`${here}/${what}`, {}, tenantToken);
      expect([answer.statusCode, answer.headers.location]).toEqual([303, here]);
      expect(api.calls.at(-1)).toMatchObject({ method: 'POST', headers: { 'idempotency-key': 'key-of-the-form' } });
    }
  });

  test('of one that is dead lead to its replay', async () => {
    const { post, api } = buildDeliveries();
    api.on(`POST /v1/deliveries/${id}/retry`, { status: 202, body: { id: 'rpl_1' } });
    expect((await post(`${here}/retry`, {}, tenantToken)).headers.location).toBe('/t/acme/replays/rpl_1');
  });

  test.each([
    ['The delivery is delivered', 'It was delivered already.'],
    ['The delivery is in flight or about to be sent: retry later', 'in flight or about to be sent: retry later.'],
  ])('say on the page why they are not possible now: %s', async (detail, sentence) => {
    const { post, api } = buildDeliveries();
    api.on(`POST /v1/deliveries/${id}/retry`, problemReply(409, 'conflict', { detail }));
    const answer = await post(`${here}/retry`, {}, tenantToken);
    expect(answer.statusCode).toBe(409);
    expect(answer.body).toContain(sentence);
    expect(answer.body).toContain('Delivery of');
  });

  test('are not shown to who may only read, and are a 403 all the same', async () => {
    const { get, post, api } = buildDeliveries();
    expect((await get(here, readToken)).body).not.toContain(`${here}/retry`);
    const before = api.calls.length;
    const answer = await post(`${here}/retry`, {}, readToken);
    expect(answer.statusCode).toBe(403);
    expect(answer.body).toContain('write');
    expect(api.calls.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

describe('an attempt', () => {
  test('shows request and response as text, whatever they hold', async () => {
    const { get } = buildDeliveries();
    const { statusCode, body } = await get(`${here}/attempts/2`, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('&lt;script&gt;alert(&quot;body&quot;)&lt;/script&gt;');
    expect(body).not.toContain('<script>alert');
    expect(body).toContain(`/t/acme/compare?a=${id}:1&amp;b=${id}:2`);
    expect(body).toContain(`/t/acme/events/${eventId}/payload`);
  });

  test('whose body is no text is shown in hex', async () => {
    const binary = {
      response_excerpt: Buffer.from([0, 255, 16]).toString('base64'),
      response_excerpt_encoding: 'base64',
    };
    const { get } = buildDeliveries({ attempts: [attempt(1, binary)] });
    const { body } = await get(`${here}/attempts/1`, tenantToken);
    expect(body).toContain('00 ff 10');
    expect(body).not.toContain('/compare');
  });

  test('without an answer, or with nothing sent, says so', async () => {
    const none = { http_status: null, response_headers: null, response_excerpt: null };
    const timeout = attempt(1, { ...none, outcome: 'timeout', detail: 'no answer within 5000 ms' });
    const blocked = attempt(2, { ...none, outcome: 'blocked', request: null, timing: null, detail: 'not allowed' });
    const { get } = buildDeliveries({ attempts: [timeout, blocked] });
    const first = await get(`${here}/attempts/1`, tenantToken);
    for (const shown of ['Timeout', 'no answer within 5000 ms', 'The receiver sent no response.'])
      expect(first.body).toContain(shown);
    const second = await get(`${here}/attempts/2`, tenantToken);
    for (const shown of ['Address blocked', 'Nothing was sent.']) expect(second.body).toContain(shown);
  });

  test('is found beyond the first page, and behind any number of parkings', async () => {
    const { get, api } = buildDeliveries({ delivery: { attempts: 150 } });
    const link = `<http://api/v1/deliveries/${id}/attempts?limit=100&cursor=249>; rel="next"`;
    api.on(`GET /v1/deliveries/${id}/attempts?limit=100&cursor=149`, { body: [attempt(80)], headers: { link } });
    api.on(`GET /v1/deliveries/${id}/attempts?limit=100&cursor=249`, { body: [attempt(150)] });
    expect((await get(`${here}/attempts/150`, tenantToken)).statusCode).toBe(200);
  });

  test.each(['0', '3', '01', 'x', '9999999'])('%s of two is a 404', async (number) => {
    const { get } = buildDeliveries();
    expect((await get(`${here}/attempts/${number}`, tenantToken)).statusCode).toBe(404);
  });

  test('that is kept no longer is a 410 that says so', async () => {
    const { get } = buildDeliveries({ attempts: [] });
    const answer = await get(`${here}/attempts/2`, tenantToken);
    expect(answer.statusCode).toBe(410);
    expect(answer.body).toContain('have been removed');
  });
});
