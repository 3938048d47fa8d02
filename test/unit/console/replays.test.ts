import { duration } from '../../../services/console/ui/times.ts';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';
import { textOf } from '../../support/console/read-page.ts';

const id = 'rpl_01m84xk2v4q9nd1m0e6e0kxv7t';
const url = `/t/acme/replays/${id}`;
const endpointId = 'ep_01m84xk2v4q9nd1m0e6e0kxv7t';

const running = {
  id,
  status: 'running',
  operation: null as string | null,
  matched: 38,
  left_out: 0,
  replayed: 26,
  failed: 1,
  remaining: 11,
  outcome: { delivered: 20, waiting: 6, dead_lettered: 0, cancelled: 0 } as object | null,
  request: { endpoint_id: '<ep>', rate_per_second: 10 } as object,
  rate_per_second: 10 as number | null,
  created_at: '2026-01-01T00:00:00.123456Z',
  sent_at: null as string | null,
  ended_at: null as string | null,
  ahead: 0,
  failures: { payload_expired: 1 } as Record<string, number>,
};

const sent = {
  ...running,
  status: 'sent',
  remaining: 0,
  replayed: 37,
  sent_at: '2026-01-01T00:00:30.000000Z',
  outcome: { delivered: 30, waiting: 5, dead_lettered: 2, cancelled: 0 } as object,
};

const ended = {
  ...sent,
  status: 'completed',
  ended_at: '2026-01-01T00:01:00.000000Z',
  outcome: { delivered: 35, waiting: 0, dead_lettered: 2, cancelled: 0 } as object,
};

function withReplay(replay: object = running) {
  const built = buildTestConsole();
  const { api } = built;
  api.on('GET /v1/replays', { body: [replay] });
  api.on(`GET /v1/replays/${id}`, { body: replay });
  api.on('GET /v1/endpoints', { body: [{ id: endpointId, url: 'https://crm.example/hooks' }] });
  api.on('GET /v1/sources', { body: [] });
  return built;
}

type Call = { body?: string | undefined } | undefined;
const bodyOf = (call: Call): Record<string, unknown> => JSON.parse(call?.body ?? 'null') as Record<string, unknown>;

describe('replays', () => {
  test('are listed; none yet: 200 with how to begin; a page too far: 404', async () => {
    const { get, api } = withReplay();
    const some = await get('/t/acme/replays', tenantToken);
    expect(some.statusCode).toBe(200);
    for (const text of ['Replay of dead letters', '27 of 38', `href="${url}"`]) expect(some.body).toContain(text);
    api.on('GET /v1/replays', { body: [] });
    const none = await get('/t/acme/replays', tenantToken);
    expect([none.statusCode, none.body.includes('hookline dlq replay')]).toEqual([200, true]);
    expect((await get(`/t/acme/replays?cursor=${id}`, tenantToken)).statusCode).toBe(404);
  });

  test('one that runs says how far it is, that it goes on, and how long it takes', async () => {
    const { get } = withReplay();
    const { body, statusCode } = await get(url, tenantToken);
    expect(statusCode).toBe(200);
    for (const text of [
      '27 of 38 done, about 2 s left at 10 a second.',
      '<dt>Sent</dt><dd>26</dd>',
      'its payload has been removed',
      'You may close this page: the replay continues.',
      'max="38" value="27"',
      '&lt;ep&gt;',
      `data-from="/t/acme/live/replays/${id}"`,
      '/live-replay.js',
      `href="${url}/cancel"`,
    ])
      expect(body).toContain(text);
    expect(body).not.toContain('Left out');
  });

  test('one that has ended is not followed, and offers the failed ones again', async () => {
    const { get } = withReplay({ ...ended, left_out: 3 });
    const { body } = await get(url, tenantToken);
    expect(body).not.toContain('live-replay');
    expect(body).not.toContain('/cancel');
    expect(body).toContain('<dt>Left out</dt><dd>3</dd>');
    expect(body).toContain(`href="/t/acme/replays/new?what=dead_letters&amp;failed_of=${id}"`);
    expect(body).toContain(`href="${url}/items?status=failed">1</a>`);
  });

  test('one of which all is sent is followed to the ends of its deliveries, and can’t be cancelled', async () => {
    const { get } = withReplay(sent);
    const { body } = await get(url, tenantToken);
    for (const text of [
      'All is sent; 5 deliveries still open.',
      '<dt>Delivered</dt><dd>30</dd>',
      '<dt>Waiting</dt><dd>5</dd>',
      `<dt>Dead-lettered</dt><dd><a href="${url}/items?outcome=dead_lettered">2</a></dd>`,
      `data-from="/t/acme/live/replays/${id}"`,
    ])
      expect(body).toContain(text);
    expect(body).not.toContain(`${url}/cancel`);
  });

  const nothing = { delivered: 0, waiting: 0, dead_lettered: 0, cancelled: 0 };
  test.each([
    [{ failed: 0, outcome: { ...nothing, delivered: 37 } }, 'badge-good', 'completed'],
    [{ failed: 0, outcome: { ...nothing, delivered: 36, dead_lettered: 1 } }, 'badge-warn', 'some not delivered'],
    [{ failed: 0, outcome: { ...nothing, dead_lettered: 37 } }, 'badge-bad', 'nothing delivered'],
    [{ failed: 37, outcome: nothing }, 'badge-bad', 'nothing delivered'],
    [{ status: 'sent', ended_at: null, outcome: { ...nothing, waiting: 37 } }, 'badge-busy', 'sent'],
  ])('one with %j is marked %s: %s', async (more, badge, word) => {
    const { get } = withReplay({ ...ended, ...more });
    const [, state = ''] = /<p class="replay-state">(.*?)<\/p>/s.exec((await get(url, tenantToken)).body) ?? [];
    expect(state).toContain(badge);
    expect(state).toContain(word);
  });

  test('says when it ended in the part that the script replaces', async () => {
    const { get } = withReplay(ended);
    const [whole, part] = [await get(url, tenantToken), await get(`/t/acme/live/replays/${id}`, tenantToken)];
    const said = 'Ended <time datetime="2026-01-01T00:01:00.000000Z"';
    expect(part.body).toContain(said);
    expect(whole.body.split(said)).toHaveLength(2);
    expect((await withReplay().get(url, tenantToken)).body).not.toContain('Ended');
  });

  test('names the endpoint that was asked for', async () => {
    const { get } = withReplay({ ...ended, request: { filter: { endpoint_id: endpointId } } });
    expect(textOf((await get(url, tenantToken)).body)).toContain('endpoint crm.example/hooks');
  });

  test.each([
    [{ status: 'queued', matched: 0, replayed: 0, failed: 0, remaining: 0, ahead: 2 }, 'Waits for 2 earlier replays'],
    [{ ...ended, status: 'partial' }, 'More matched than its limit allowed'],
    [{ status: 'cancelled', ended_at: ended.ended_at }, '11 left as they were'],
    [{ ...ended, matched: 0, replayed: 0, failed: 0 }, 'Nothing was left to do'],
    [{ operation: 'cancel_deliveries', request: { filter: { outcome: 'timeout' } } }, '<dt>Asked to be cancelled</dt>'],
    [{ operation: 'retry_deliveries' }, 'Retry of deliveries'],
    [{ request: { event_id: 'evt_1' } }, 'Replay of an event'],
    [{ request: { test: endpointId, event_id: 'evt_1' } }, 'Test of an endpoint'],
  ])('%j is told as %j', async (more, text) => {
    const { get } = withReplay({ ...running, ...more });
    expect((await get(url, tenantToken)).body).toContain(text);
  });

  test('the progress alone is for the script, held by the API when asked for', async () => {
    const { get, api } = withReplay();
    const { body, statusCode } = await get(`/t/acme/live/replays/${id}?wait=1`, readToken);
    expect(statusCode).toBe(200);
    expect(body).toMatch(/^<div class="replay-progress" data-status="running" data-open>/);
    expect(body).not.toContain('<html');
    expect(api.calls.at(-1)?.path).toMatch(/\?wait=10$/);
    await get(`/t/acme/live/replays/${id}`, readToken);
    expect(api.calls.at(-1)?.path).toBe(`/v1/replays/${id}`);
  });

  test.each(['', '/cancel', '/items'])(
    'one that never was is a 404 at %j, and 503 while the API is away',
    async (below) => {
      const { get, api } = withReplay();
      expect((await get(url + below, tenantToken)).statusCode).toBe(below === '/items' ? 404 : 200);
      for (const [reply, status] of [
        [problemReply(404, 'not_found'), 404],
        ['away', 503],
      ] as const) {
        api.on(`GET /v1/replays/${id}`, reply);
        expect((await get(url + below, tenantToken)).statusCode).toBe(status);
        expect((await get(`/t/acme/live/replays/${id}`, tenantToken)).statusCode).toBe(status);
      }
    },
  );

  test('are cancelled after a question, which says what becomes of the rest', async () => {
    const { get, post, api } = withReplay();
    const asked = await get(`${url}/cancel`, tenantToken);
    expect(asked.body).toContain('11 items would not be sent, and would be dead letters again');
    api.on(`DELETE /v1/replays/${id}`, { status: 204 });
    const answer = await post(`${url}/cancel`, {}, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, url]);
    api.on(`DELETE /v1/replays/${id}`, problemReply(409, 'conflict', { detail: 'The replay has ended: completed' }));
    const late = await post(`${url}/cancel`, {}, tenantToken);
    expect([late.statusCode, late.body.includes('The replay has ended')]).toEqual([409, true]);
  });

  test('are not cancelled by who may only read, nor when they have ended', async () => {
    const { get, post } = withReplay();
    expect((await get(url, readToken)).body).not.toContain('/cancel');
    expect((await get(`${url}/cancel`, readToken)).statusCode).toBe(403);
    expect((await post(`${url}/cancel`, {}, readToken)).statusCode).toBe(403);
    expect((await withReplay(ended).get(`${url}/cancel`, tenantToken)).body).toContain('nothing left to cancel');
  });

  test('have items: by status, none of it 404, none yet 200', async () => {
    const { get, api } = withReplay();
    const item = {
      item: 7,
      status: 'failed',
      reason: 'endpoint_deleted',
      dead_letter_id: 'dl_1',
      endpoint_id: endpointId,
    };
    api.on(`GET /v1/replays/${id}/items`, {
      body: [{ ...item, event_id: null, delivery_id: null, generation: 1, outcome: null }],
    });
    const some = await get(`${url}/items?status=failed`, tenantToken);
    expect(some.statusCode).toBe(200);
    for (const text of ['href="/t/acme/dead-letters/dl_1"', 'its endpoint was deleted', 'crm.example/hooks'])
      expect(some.body).toContain(text);
    api.on(`GET /v1/replays/${id}/items`, { body: [] });
    expect((await get(`${url}/items?status=failed`, tenantToken)).statusCode).toBe(404);
    expect((await get(`${url}/items`, tenantToken)).statusCode).toBe(200);
  });
});

describe('the preview', () => {
  const counted = {
    dry_run: true,
    as_of: 'AQtoken',
    matched: 35,
    left_out: 3,
    complete: true,
    by_endpoint: [{ endpoint_id: endpointId, deliveries: 35, at_most: true }],
    by_reason: [{ reason: 'http_5xx', deliveries: 35 }],
    seconds: 7,
  };
  const ofDeadLetters = {
    dry_run: true,
    matched: 38,
    left_out: 0,
    ids: ['dl_1'],
    by_endpoint: [{ endpoint_id: null, letters: 38 }],
    by_reason: [{ stage: 'dedup', reason: 'data_invalid', letters: 38 }],
  };
  const retry = '/t/acme/replays/new?what=retry&outcome=http_5xx&rate_per_second=5&limit=35';

  test('counts by a dry run: how many, where, why, how long, and what is left out', async () => {
    const { get, api } = withReplay();
    api.on('POST /v1/deliveries/retry', { status: 202, body: counted });
    const { body, statusCode } = await get(retry, tenantToken);
    expect(statusCode).toBe(200);
    for (const text of [
      '35 deliveries',
      'At 5 a second it takes about 7 s',
      '3 more match, and are left out',
      'at most 35',
      'crm.example/hooks',
      'http 5xx',
      'Later ones are not taken',
      'name="as_of" value="AQtoken"',
      'Start retry of 35',
    ])
      expect(body).toContain(text);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toEqual({
      filter: { outcome: 'http_5xx' },
      rate_per_second: 5,
      limit: 35,
      dry_run: true,
    });
  });

  test('starts exactly what was counted, by its as_of and the key of the form', async () => {
    const { post, api } = withReplay();
    api.on('POST /v1/deliveries/retry', { status: 202, body: { id } });
    const answer = await post(retry, { as_of: 'AQtoken' }, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, url]);
    const call = api.calls.at(-1);
    expect(call?.headers['idempotency-key']).toBe('key-of-the-form');
    expect(bodyOf(call)).toEqual({
      filter: { outcome: 'http_5xx' },
      rate_per_second: 5,
      limit: 35,
      as_of: 'AQtoken',
    });
  });

  test('of dead letters fixes the time instead: later ones are not taken', async () => {
    const { get, post, api, clock } = withReplay();
    api.on('POST /v1/dead-letters/replay', { status: 202, body: ofDeadLetters });
    const at = new Date(clock.nowMs()).toISOString().replace('Z', '000Z');
    const { body } = await get('/t/acme/replays/new?what=dead_letters&reason=data_invalid', tenantToken);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toEqual({
      reason: 'data_invalid',
      until: at,
      rate_per_second: 10,
      dry_run: true,
    });
    expect(body).toContain(`name="as_of" value="${at}"`);
    expect(body).toContain('38 dead letters');
    expect(body).toContain('href="/t/acme/dead-letters/dl_1"');
    api.on('POST /v1/dead-letters/replay', { status: 202, body: { id } });
    await clock.advance(60_000);
    await post('/t/acme/replays/new?what=dead_letters&reason=data_invalid', { as_of: at }, tenantToken);
    expect(bodyOf(api.calls.at(-1))).toEqual({ reason: 'data_invalid', until: at, rate_per_second: 10 });
  });

  test('of dead letters keeps an earlier end', async () => {
    const { get, api } = withReplay();
    api.on('POST /v1/dead-letters/replay', { status: 202, body: ofDeadLetters });
    await get('/t/acme/replays/new?what=dead_letters&until=2020-01-01T00%3A00%3A00Z', tenantToken);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toMatchObject({ until: '2020-01-01T00:00:00Z' });
  });

  test('takes the failed ones of a replay by their ids; none is a 404 that asks the API for nothing', async () => {
    const { get, post, api } = withReplay();
    api.on('POST /v1/dead-letters/replay', { status: 202, body: ofDeadLetters });
    api.on(`GET /v1/replays/${id}/items`, { body: [{ dead_letter_id: 'dl_1' }, { dead_letter_id: null }] });
    const preview = `/t/acme/replays/new?what=dead_letters&failed_of=${id}`;
    expect((await get(preview, tenantToken)).statusCode).toBe(200);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toMatchObject({ ids: ['dl_1'] });
    api.on(`GET /v1/replays/${id}/items`, { body: [] });
    const before = api.calls.length;
    expect((await get(preview, tenantToken)).statusCode).toBe(404);
    expect((await post(preview, { as_of: '2026-01-01T00:00:00.000000Z' }, tenantToken)).statusCode).toBe(404);
    expect(api.calls.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('of all events, and of some with several tags to one endpoint', async () => {
    const { get, api } = withReplay();
    api.on('POST /v1/events/replay', { status: 202, body: counted });
    await get('/t/acme/replays/new?what=events', tenantToken);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toEqual({
      all: true,
      rate_per_second: 10,
      dry_run: true,
    });
    api.calls.splice(0);
    const some = 'what=events&tag=a%3A1&tag=b%3A2&type=x&to_endpoint=ep_1';
    const { body } = await get(`/t/acme/replays/new?${some}`, tenantToken);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toMatchObject({
      filter: { tag: ['a:1', 'b:2'], type: 'x' },
      endpoint_id: 'ep_1',
    });
    for (const text of ['name="tag" value="a:1"', 'name="tag" value="b:2"', '<option value="ep_1" selected>'])
      expect(body).toContain(text);
  });

  test('of a cancellation has no rate', async () => {
    const { get, api } = withReplay();
    api.on('POST /v1/deliveries/cancel', { status: 202, body: { ...counted, seconds: null } });
    const { body } = await get('/t/acme/replays/new?what=cancel&endpoint_id=<x>', tenantToken);
    expect(bodyOf(api.calls.find(({ method }) => method === 'POST'))).toEqual({
      filter: { endpoint_id: '<x>' },
      dry_run: true,
    });
    expect(body).toContain('Cancel 35');
    expect(body).not.toContain('rate_per_second');
    expect(body).toContain('&lt;x&gt;');
  });

  test('nothing matches: 404 with the filter kept, and nothing to start', async () => {
    const { get, api } = withReplay();
    api.on('POST /v1/deliveries/retry', { status: 202, body: { ...counted, matched: 0 } });
    const { body, statusCode } = await get(`${retry}&event_type=%22zz`, tenantToken);
    expect(statusCode).toBe(404);
    expect(body).toContain('value="&quot;zz"');
    expect(body).not.toContain('as_of');
  });

  test('what could not be counted to its end is said', async () => {
    const { get, api } = withReplay();
    api.on('POST /v1/deliveries/retry', { status: 202, body: { ...counted, complete: false } });
    const { body } = await get(retry, tenantToken);
    expect(body).toContain('At least 35 deliveries');
    expect(body).toContain('the others are taken too');
  });

  test('wrong filters are a 400 with the message at the field', async () => {
    const { get, api } = withReplay();
    const errors = [
      { field: '/filter/http_status', message: 'must be an HTTP status' },
      { field: '/rate_per_second', message: 'must be a number' },
    ];
    api.on('POST /v1/deliveries/retry', problemReply(400, 'validation_failed', { errors }));
    const { body, statusCode } = await get(
      '/t/acme/replays/new?what=retry&http_status=x&rate_per_second=fast',
      tenantToken,
    );
    expect(statusCode).toBe(400);
    expect(body).toContain('id="field-http_status-error">must be an HTTP status');
    expect(body).toContain('id="field-rate_per_second-error">must be a number');
    expect(body).toContain('value="fast"');
  });

  test.each([
    ['what=nonsense', 400],
    ['what=retry&reason=x', 400],
    ['what=dead_letters&to_endpoint=x', 400],
    ['what=events&failed_of=x', 400],
    ['what=retry&nonsense=x', 400],
    ['', 200],
  ])('%j is a %i', async (query, status) => {
    const { get } = withReplay();
    expect((await get(`/t/acme/replays/new?${query}`, tenantToken)).statusCode).toBe(status);
  });

  test('who may only read sees it without the button, and starts nothing', async () => {
    const { get, post, api } = withReplay();
    api.on('POST /v1/deliveries/retry', { status: 202, body: counted });
    const { body, statusCode } = await get(retry, readToken);
    expect([statusCode, body.includes('as_of')]).toEqual([200, false]);
    api.calls.splice(0);
    expect((await post(retry, { as_of: 'AQtoken' }, readToken)).statusCode).toBe(403);
    expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('that is not the one that was counted starts nothing, and is counted anew', async () => {
    const { post, api } = withReplay();
    api.on('POST /v1/deliveries/retry', (call) =>
      bodyOf(call)['dry_run'] === true
        ? { status: 202, body: { ...counted, as_of: 'AQnew' } }
        : problemReply(400, 'validation_failed', { errors: [{ field: '/as_of', message: 'no' }] }),
    );
    const { body, statusCode } = await post(retry, { as_of: 'AQold' }, tenantToken);
    expect(statusCode).toBe(400);
    expect(body).toContain('Nothing was started');
    expect(body).toContain('value="AQnew"');
    expect((await post(retry, {}, tenantToken)).statusCode).toBe(400);
  });

  test('is refused while too many replays wait, or the endpoint is disabled', async () => {
    const { post, api } = withReplay();
    api.on('POST /v1/events/replay', problemReply(429, 'limit_reached', { retryAfter: '9' }));
    const full = await post('/t/acme/replays/new?what=events', { as_of: 'AQ' }, tenantToken);
    expect([full.statusCode, full.headers['retry-after']]).toEqual([429, '9']);
    api.on('POST /v1/events/replay', problemReply(409, 'conflict', { detail: 'The endpoint is disabled' }));
    const disabled = await post('/t/acme/replays/new?what=events', { as_of: 'AQ' }, tenantToken);
    expect([disabled.statusCode, disabled.body.includes('The endpoint is disabled')]).toEqual([409, true]);
  });
});

test.each([
  [0.2, '1 s'],
  [59.1, '1 min'],
  [130, '2 min 10 s'],
  [7_200, '2 h'],
  [100_000, '1 d 3 h'],
])('%d seconds are %j', (seconds, words) => {
  expect(duration(seconds)).toBe(words);
});
