import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { operatorToken, problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';
import { erasedEvent, eventId, eventUrl, giveList, hostile, sampleEvent } from '../../support/console/sample-events.ts';

const list = '/t/acme/events';

describe('the list of events', () => {
  test('shows rows that lead to the events, and the pages beside it', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, [sampleEvent({ duplicates: 3, duplicates_changed: 1 }), { ...erasedEvent, id: 'evt_2' }], {
      link: '<http://api/v1/events?order=desc&limit=50&type=a&page=older>; rel="next", <http://api/v1/events?order=desc&page=newer>; rel="prev"',
    });
    const { statusCode, body } = await get(list, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain(`<a href="${eventUrl}">`);
    expect(body).toContain('Stripe live');
    expect(body).toContain('1 of 2');
    expect(body).toContain('3, 1 changed');
    expect(body).toContain('erased');
    expect(body).toContain(`rel="next" href="${list}?limit=50&amp;type=a&amp;page=older"`);
    expect(body).toContain(`rel="prev" href="${list}?page=newer"`);
    expect(api.calls.find(({ path }) => path.startsWith('/v1/events'))?.path).toBe('/v1/events?order=desc&limit=50');
  });

  test('gives the API every filter of its address, and keeps them in the form', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, [sampleEvent()]);
    const filters =
      'type=a.b&source_id=src_gone&status=completed&tag=x%3A1&tag=y%3A2&has=duplicates&has=changed&received_since=2026-01-01T00%3A00%3A00Z&event_id=in_1';
    const { statusCode, body } = await get(`${list}?${filters}&live=1`, tenantToken);
    expect(statusCode).toBe(200);
    const asked = api.calls.find(({ path }) => path.startsWith('/v1/events'))?.path;
    expect(asked).toBe(`/v1/events?order=desc&${filters}&limit=50`);
    for (const kept of [
      'name="type" value="a.b"',
      '<option value="src_gone" selected>',
      '<option value="completed" selected>',
      'name="tag" value="x:1"',
      'name="tag" value="y:2"',
      'name="has" value="duplicates" checked',
      'name="has" value="changed" checked',
      'name="received_since" value="2026-01-01T00:00:00Z"',
      '<details class="more-filters" open>',
    ])
      expect(body).toContain(kept);
    expect(body).toContain(`/t/acme/replays/new?what=events&amp;type=a.b&amp;`);
    const href = /<a class="live-switch"[^>]* href="([^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    expect(href).toBe(`${list}?${filters}`);
  });

  test('without a result is a 404 with the form as it was, and still followed', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, []);
    const { statusCode, body } = await get(`${list}?type=no.such`, tenantToken);
    expect(statusCode).toBe(404);
    expect(body).toContain('value="no.such"');
    expect(body).toContain('Nothing matches');
    expect(body).toContain('data-from="/t/acme/live/events?type=no.such" data-cursor="c-1"');
    expect(body).toContain('<div class="live-rows" hidden>');
    expect(body).not.toContain('/replays/new');
  });

  test('with an empty page that is not the last says that it has not looked everywhere', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, [], { link: '<http://api/v1/events?type=a&page=p>; rel="next"' });
    const { statusCode, body } = await get(`${list}?type=a`, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('Nothing found yet');
    expect(body).toContain('Older');
  });

  test('that has nothing at all shows how to begin', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, []);
    const { statusCode, body } = await get(list, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('https://in.example/v1/webhooks/src_1');
    expect(body).toContain('hookline send src_1 --secret &#39;…&#39; --tenant acme');
    api.on('GET /v1/sources', { body: [] });
    expect((await get(list, tenantToken)).body).toContain('hookline events publish --type order.paid');
  });

  test('names the field of a wrong filter', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, []);
    api.on(
      'GET /v1/events',
      problemReply(400, 'invalid_request', {
        errors: [
          { field: 'received_since', message: 'must be RFC 3339' },
          { field: 'page', message: 'is not from a link' },
        ],
      }),
    );
    const { statusCode, body } = await get(`${list}?received_since=today&page=x`, tenantToken);
    expect(statusCode).toBe(400);
    expect(body).toContain('value="today"');
    expect(body).toContain('id="field-received_since-error">must be RFC 3339<');
    expect(body).toContain('<code>page</code> is not from a link');
  });

  test('shows what others have written as text', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, [sampleEvent({ type: hostile, source_id: hostile, event_id: hostile })]);
    const { body } = await get(`${list}?type=${encodeURIComponent(hostile)}`, tenantToken);
    expect(body).not.toMatch(/<script>alert|<img/);
    expect(body).toContain('&lt;script&gt;alert(1)');
  });

  test('offers what the session may do', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, [sampleEvent()]);
    const reader = (await get(list, readToken)).body;
    expect(reader).not.toMatch(/\/events\/new|\/replays\/new/);
    const operator = (await get(list, operatorToken)).body;
    expect(operator).toContain('/events/new');
    expect(operator).toContain('/replays/new?what=events');
  });

  test('is a 503 while the API is away', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, []);
    api.on('GET /v1/events', 'away');
    const answer = await get(`${list}?type=x`, tenantToken);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
  });
});

describe('live rows', () => {
  const live = '/t/acme/live/events';

  test('are those that changed since the cursor, with the one to go on from', async () => {
    const { get, api } = buildTestConsole();
    giveList(api, [sampleEvent({ type: hostile })], { link: '<http://api/v1/events?cursor=c-1>; rel="next"' });
    const answer = await get(`${live}?type=a&cursor=c-0&wait=1`, tenantToken);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toMatch(/^<tr/);
    expect(answer.body).not.toContain('<script>');
    expect(answer.headers).toMatchObject({
      'hookline-cursor': 'c-1',
      'x-poll-interval': '7',
      'hookline-more': '1',
    });
    expect(api.calls.some(({ path }) => path === '/v1/events?type=a&cursor=c-0&limit=200&wait=10')).toBe(true);
  });

  test('that did not change are a 204', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/events', { status: 204, headers: { 'hookline-cursor': 'c-2' } });
    const answer = await get(`${live}?cursor=c-1&wait=1`, tenantToken);
    expect([answer.statusCode, answer.body, answer.headers['hookline-cursor']]).toEqual([204, '', 'c-2']);
    expect(answer.headers).not.toHaveProperty('hookline-more');
  });

  test.each([
    [problemReply(410, 'cursor_expired'), 410],
    [problemReply(400, 'invalid_request', { errors: [{ field: 'cursor', message: 'is not valid' }] }), 400],
    [problemReply(429, 'limit_reached', { retryAfter: '3' }), 429],
    [problemReply(503, 'unavailable', { retryAfter: '3' }), 503],
    ['away', 503],
  ] as const)('have the status of the API: %j', async (reply, status) => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/events', reply);
    const answer = await get(`${live}?cursor=c-1`, tenantToken);
    expect(answer.statusCode).toBe(status);
    if (status === 429 || status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('need a session, the tenant and a cursor', async () => {
    const { get } = buildTestConsole();
    expect((await get(`${live}?cursor=c`)).statusCode).toBe(401);
    expect((await get('/t/other/live/events?cursor=c', tenantToken)).statusCode).toBe(404);
    expect((await get(live, tenantToken)).statusCode).toBe(400);
  });
});

describe('a search of payloads', () => {
  const search = `/t/acme/events/search?filter=${encodeURIComponent('{"a":1}')}`;
  const found = (more: object) => ({
    body: {
      matched: [],
      scanned: 1234,
      unjudged: { payload_removed: 0, payload: 0, filter_steps: 0 },
      complete: false,
      cursor: eventId,
      ...more,
    },
  });

  test('says how far it has looked, and goes on from there', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/sources', { body: [] });
    api.on(
      'GET /v1/events/search',
      found({ matched: [sampleEvent()], unjudged: { payload_removed: 2, payload: 1, filter_steps: 0 } }),
    );
    const { statusCode, body } = await get(`${search}&type=x`, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain(eventUrl);
    expect(body).toContain('1,234 payloads were looked at');
    expect(body).toContain('Older events have not been looked at');
    expect(body).toContain('2 events could not be searched, because the payload has been removed.');
    expect(body).toContain(`&amp;type=x&amp;cursor=${eventId}`);
    expect(
      api.calls.some(({ path }) => path.startsWith('/v1/events/search?filter=%7B%22a%22%3A1%7D&type=x&limit=')),
    ).toBe(true);
  });

  test('never says “nothing” for what it has not looked at', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/sources', { body: [] });
    api.on('GET /v1/events/search', found({}));
    const partial = await get(search, tenantToken);
    expect(partial.statusCode).toBe(200);
    expect(partial.body).toContain('Nothing found yet');
    api.on('GET /v1/events/search', found({ complete: true, cursor: null }));
    const whole = await get(search, tenantToken);
    expect(whole.statusCode).toBe(404);
    expect(whole.body).toContain('No event matches');
    expect(whole.body).toContain('{&quot;a&quot;:1}');
  });

  test('keeps a wrong filter, and waits where others search', async () => {
    const { get, api } = buildTestConsole();
    api.on('GET /v1/sources', { body: [] });
    api.on(
      'GET /v1/events/search',
      problemReply(400, 'invalid_request', { errors: [{ field: 'filter/a', message: 'is no operator' }] }),
    );
    const wrong = await get(search, tenantToken);
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('/a is no operator');
    expect(wrong.body).toContain('{&quot;a&quot;:1}');
    api.on('GET /v1/events/search', problemReply(429, 'limit_reached', { retryAfter: '2' }));
    const busy = await get(search, tenantToken);
    expect([busy.statusCode, busy.headers['retry-after']]).toEqual([429, '2']);
    expect((await get('/t/acme/events/search', tenantToken)).statusCode).toBe(200);
  });
});
