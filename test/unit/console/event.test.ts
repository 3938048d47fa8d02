import type { EventMatch } from '#lib/api-contract';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { problemReply, readToken, tenantToken } from '../../support/console/fake-api.ts';
import {
  erasedEvent,
  eventId,
  eventUrl,
  giveEvent,
  gone,
  hostile,
  sampleDelivery,
  sampleEvent,
  sampleMatch,
} from '../../support/console/sample-events.ts';

const textOf = (body: string): string => body.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"');

describe('an event', () => {
  test('tells its journey, and shows its payload and request as they came', async () => {
    const { get, api } = buildTestConsole();
    giveEvent(api, {
      event: sampleEvent({
        duplicates: 2,
        duplicates_changed: 1,
        tags: { customer: 'cus_9' },
        ordering_key: 'cus 9',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
      }),
      matching: [
        sampleMatch(),
        sampleMatch({
          endpoint_id: 'ep_2',
          url: 'https://crm.example/',
          matched: false,
          reason: 'type',
          expected: ['order.*'],
          delivery_id: null,
        }),
      ],
      deliveries: [
        sampleDelivery({
          id: 'dlv_2',
          generation: 1,
          status: 'retrying',
          attempts: 4,
          last_outcome: 'timeout',
          last_http_status: null,
          next_attempt_at: '2026-01-01T12:10:00.000000Z',
        }),
        sampleDelivery(),
      ],
      receipts: [
        {
          id: 'rcp_1',
          received_at: '2026-01-01T12:00:00.000100Z',
          client_address: '192.0.2.1',
          kind: 'first',
          same_bytes: true,
        },
        {
          id: 'rcp_2',
          received_at: '2026-01-01T12:00:01.000000Z',
          client_address: null,
          kind: 'duplicate',
          same_bytes: true,
        },
        {
          id: 'rcp_3',
          received_at: '2026-01-01T12:00:02.000000Z',
          client_address: null,
          kind: 'duplicate',
          same_bytes: false,
        },
      ],
    });
    const { statusCode, body } = await get(eventUrl, tenantToken);
    expect(statusCode).toBe(200);
    const text = textOf(body);
    for (const said of [
      'Received by Stripe live from 192.0.2.1',
      'as the first with the id in_1. It came 2 more times, 1 of them with other bytes, and was not sent again.',
      '+0.041 s',
      'to 1 endpoint · why not to the other one',
      'Replayed to 1 endpoint',
      '4 attempts · no answer in time · next at',
      'answered 204',
      '"n": 9007199254740993,\n',
      '"one": 1.0,\n',
      'POST /v1/webhooks/src_1?token=***\nX-Twice: 2\nStripe-Signature: ***\nx-twice: 1',
      'stands for a value that may be a secret',
      'There was more than is kept',
      'other bytes',
      'It subscribes to order.*, not to invoice.paid.',
    ])
      expect(text).toContain(said);
    expect(body).toContain('href="/t/acme/events?tag=customer%3Acus_9"');
    expect(body).toContain('href="/t/acme/events?ordering_key=cus+9"');
    expect(text).toContain('0af7651916cd43dd8448eb211c80319c');
    expect(body).toContain('href="/t/acme/deliveries/dlv_2"');
    expect(body.indexOf('/deliveries/dlv_1')).toBeLessThan(body.indexOf('/deliveries/dlv_2'));
    expect(body).toContain(`${eventUrl}/payload?download=1`);
  });

  test('says what a receiver answered when it refused, and calls endpoints by their descriptions', async () => {
    const { get, api } = buildTestConsole();
    giveEvent(api, {
      endpoints: [{ id: 'ep_1', url: 'https://erp.example/hooks', description: 'Warehouse' }],
      deliveries: [
        sampleDelivery({ status: 'dead_lettered', attempts: 2, last_outcome: 'http_5xx', last_http_status: 500 }),
      ],
    });
    const refusals = `{"error":\n "no customer_id"}${'x'.repeat(200)}`;
    api.on('GET /v1/deliveries/dlv_1/attempts', {
      body: [
        { attempt: 1, response_excerpt: 'at first', response_excerpt_encoding: 'text' },
        { attempt: 2, response_excerpt: refusals, response_excerpt_encoding: 'text' },
      ],
    });
    const { body } = await get(eventUrl, tenantToken);
    const text = textOf(body);
    const reason = `{"error": "no customer_id"}${'x'.repeat(93)} …`;
    expect(text).toContain(`dead lettered Warehouse\nerp.example/hooks · 2 attempts · answered 500${reason}`);
    expect(text).toContain(`It subscribes to this event. It answered 500:${reason}`);
    expect(text.split(reason)).toHaveLength(4);
    expect(text).not.toContain('at first');
  });

  test('is shown without the answers that are kept no longer, or are no text', async () => {
    const { get, api } = buildTestConsole();
    const refused = { status: 'dead_lettered', last_outcome: 'http_5xx', last_http_status: 500 } as const;
    giveEvent(api, { deliveries: [sampleDelivery(refused), sampleDelivery({ ...refused, id: 'dlv_2' })] });
    api.on('GET /v1/deliveries/dlv_1/attempts', { body: [] });
    api.on('GET /v1/deliveries/dlv_2/attempts', {
      body: [{ attempt: 1, response_excerpt: 'AAEC', response_excerpt_encoding: 'base64' }],
    });
    const { statusCode, body } = await get(eventUrl, tenantToken);
    expect(statusCode).toBe(200);
    expect(textOf(body)).toContain('answered 500');
    expect(body).not.toContain('AAEC');
  });

  test.each<[Partial<EventMatch>, string]>([
    [{ reason: 'test_event' }, 'The event was a test, sent to one endpoint alone.'],
    [
      { reason: 'loop' },
      'No endpoint gets it, so that it does not go round for ever: its webhook came back to a source that it had passed, or had passed eight others.',
    ],
    [
      { reason: 'created_later' },
      'It was created after the event, or so shortly before it that its creation did not count yet.',
    ],
    [{ reason: 'disabled', disabled_at: '2025-12-31T00:00:00.000000Z' }, 'It was disabled when the event came.'],
    [
      { reason: 'deleted', url: null, deleted_at: '2025-12-31T00:00:00.000000Z' },
      'It was deleted when the event came.',
    ],
    [{ reason: 'type', expected: ['a', 'b', 'c'] }, 'It subscribes to a, b and c, not to invoice.paid.'],
    [{ reason: 'source', expected: ['api'] }, 'It takes events from API, not from Stripe live.'],
    [
      { reason: 'payload_not_json' },
      'It has a filter, which takes only JSON objects and lists, and the payload is neither.',
    ],
    [
      { reason: 'filter', clause: { pointer: '/a', path: 'data.amount', operator: '$gt', expected: 1000 } },
      'Its filter refused the payload: it asks for data.amount $gt 1000.',
    ],
    [
      { reason: 'filter', clause: { pointer: '/$or', path: null, operator: '$or', expected: [] } },
      'Its filter refused the payload: no branch of $or (at /$or) is true.',
    ],
    [
      { matched: null, reason: 'payload_removed' },
      'Its filter can’t be evaluated any more, because the payload has been removed.',
    ],
    [{ matched: null, reason: 'history_removed' }, 'Its settings at that time have been removed.'],
    [
      { matched: true, reason: null, unjudged: 'payload' },
      'It got the event without its filter, because the payload is too large or too deep for it.',
    ],
  ])('says why an endpoint did not get it: %j', async (match, sentence) => {
    const { get, api } = buildTestConsole();
    giveEvent(api, { matching: [sampleMatch({ matched: false, delivery_id: null, ...match })], deliveries: [] });
    const { body } = await get(eventUrl, tenantToken);
    expect(body.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', '’')).toContain(sentence);
    if (match.reason === 'deleted') expect(body).not.toContain('/t/acme/endpoints/ep_1');
  });

  test('whose payload is kept no longer says so, and offers nothing that needs it', async () => {
    const { get, api } = buildTestConsole();
    giveEvent(api, { payload: gone });
    api.on(`GET /v1/events/${eventId}/request`, gone);
    const { statusCode, body } = await get(eventUrl, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('The payload has been removed');
    expect(body).toContain('The request has been removed');
    expect(body).not.toContain(`${eventUrl}/payload`);
    expect(body).not.toContain(`${eventUrl}/replay`);
    expect((await get(`${eventUrl}/payload`, tenantToken)).statusCode).toBe(410);
    expect((await get(`${eventUrl}/payload?raw=1`, tenantToken)).statusCode).toBe(410);
  });

  test('that was erased is a 410 that says so', async () => {
    const { get, api } = buildTestConsole();
    giveEvent(api, { event: erasedEvent, payload: gone });
    api.on('GET /v1/endpoints', { body: [] });
    const { statusCode, body } = await get(eventUrl, tenantToken);
    expect(statusCode).toBe(410);
    expect(body).toContain('This event was erased.');
    expect(body).not.toMatch(/\/replay"|\/erase"/);
    expect((await get(`${eventUrl}/payload`, tenantToken)).statusCode).toBe(410);
    expect((await get(`${eventUrl}/replay`, tenantToken)).statusCode).toBe(410);
    expect((await get(`${eventUrl}/erase`, tenantToken)).statusCode).toBe(410);
  });

  test('that never was is a 404, and so is what is below it', async () => {
    const { get } = buildTestConsole();
    for (const below of ['', '/payload', '/replay', '/erase'])
      expect((await get(`${eventUrl}${below}`, tenantToken)).statusCode).toBe(404);
    expect((await get('/t/acme/erasures/ers_1', tenantToken)).statusCode).toBe(404);
  });

  test('is a 503, not half a page, while the API is away', async () => {
    const { get, api } = buildTestConsole();
    giveEvent(api);
    api.on(`GET /v1/events/${eventId}/matching`, 'away');
    expect((await get(eventUrl, tenantToken)).statusCode).toBe(503);
  });

  test('runs nothing that it holds', async () => {
    const { get, api } = buildTestConsole();
    giveEvent(api, {
      event: sampleEvent({ type: hostile, event_id: hostile, tags: { a: hostile } }),
      payload: { body: Buffer.from(JSON.stringify({ [hostile]: hostile })), headers: { 'content-type': hostile } },
      matching: [sampleMatch({ url: `javascript:${hostile}`, reason: 'type', expected: [hostile] })],
      endpoints: [{ id: 'ep_1', url: `javascript:${hostile}`, description: hostile }],
      deliveries: [
        { ...sampleDelivery({ last_http_status: null }), last_outcome: hostile },
        { ...sampleDelivery({ id: 'dlv_2', last_http_status: 500 }), last_outcome: hostile },
      ],
    });
    api.on('GET /v1/deliveries/dlv_2/attempts', {
      body: [{ attempt: 1, response_excerpt: hostile, response_excerpt_encoding: 'text' }],
    });
    api.on(`GET /v1/events/${eventId}/request`, {
      body: {
        method: hostile,
        path: hostile,
        client_address: hostile,
        headers: [{ name: hostile, value: hostile }],
        truncated: false,
      },
    });
    for (const url of [eventUrl, `${eventUrl}/payload`, `${eventUrl}/erase`]) {
      const { statusCode, body } = await get(url, tenantToken);
      expect(statusCode).toBe(200);
      expect(body).not.toMatch(/<script>alert|<img|href="javascript/);
    }
  });
});

describe('a payload', () => {
  const url = `${eventUrl}/payload`;
  const given = (body: Buffer, headers: Record<string, string> = {}) => {
    const built = buildTestConsole();
    giveEvent(built.api, { payload: { body, headers: { 'content-type': 'application/json', ...headers } } });
    return built;
  };

  test('is saved and shown byte for byte', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xff, 0x00]);
    const { get } = given(bytes);
    const saved = await get(`${url}?download=1`, tenantToken);
    expect(saved.rawPayload).toEqual(bytes);
    expect(saved.headers['content-disposition']).toBe(`attachment; filename="${eventId}.json"`);
    const raw = await get(`${url}?raw=1`, tenantToken);
    expect(raw.rawPayload).toEqual(bytes);
    expect(raw.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'The payload is empty: 0 bytes.'],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x41]), '00000000  ff fe 41'],
    ['control characters', Buffer.from('a\0b'), '00000000  61 00 62'],
    ['other text', Buffer.from('a=1&b=<2>'), 'a=1&amp;b=&lt;2&gt;'],
    ['lines of its own', Buffer.from('{\n "a":   1\n}'), '   <span class="j-number">1</span>'],
    ['JSON that is none', Buffer.from('{"a": 1,}'), '{&quot;a&quot;: 1,}'],
  ])('of %s is readable', async (_, bytes, shown) => {
    const { statusCode, body } = await given(bytes).get(url, tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain(shown);
  });

  test('under a coding is shown decoded, or as its bytes', async () => {
    const { gzipSync } = await import('node:zlib');
    const zipped = await given(gzipSync('{"a":1.0}'), { 'content-encoding': 'gzip' }).get(url, tenantToken);
    expect(zipped.body).toContain('Shown decoded');
    expect(zipped.body).toContain('1.0');
    const odd = await given(Buffer.from('xyz'), { 'content-encoding': 'odd' }).get(url, tenantToken);
    expect(odd.body).toContain('could not be undone');
    expect(odd.body).toContain('78 79 7a');
  });

  test('of ten thousand levels, and of a megabyte, is shown whole', async () => {
    const deep = await given(Buffer.from('['.repeat(10_000) + ']'.repeat(10_000))).get(url, tenantToken);
    expect(deep.statusCode).toBe(200);
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'x'.repeat(20) }));
    const large = await given(Buffer.from(JSON.stringify(items))).get(url, tenantToken);
    expect(large.statusCode).toBe(200);
    expect(large.body).toContain('19999');
  });
});

describe('publishing', () => {
  const url = '/t/acme/events/new';

  test('sends the payload as it was written, once', async () => {
    const { post, api } = buildTestConsole();
    api.on('POST /v1/events', { status: 202, body: { id: eventId } });
    const payload = '{"n": 9007199254740993,\r\n "one": 1.0, "a": 1, "a": 2}';
    const answer = await post(
      url,
      { type: ' order.paid ', payload, event_id: 'e-1', tags: 'customer:cus_9\r\nurl:http://x' },
      tenantToken,
    );
    expect([answer.statusCode, answer.headers.location]).toEqual([303, eventUrl]);
    const call = api.calls.at(-1);
    expect(call?.headers['idempotency-key']).toBe('key-of-the-form');
    expect(call?.body).toBe(
      '{"type":"order.paid","payload":{"n": 9007199254740993,\n "one": 1.0, "a": 1, "a": 2},"event_id":"e-1","tags":{"customer":"cus_9","url":"http://x"}}',
    );
  });

  test.each([
    [{ type: '', payload: '{}' }, 'type', 'is missing'],
    [{ type: 'a', payload: '' }, 'payload', 'is missing'],
    [{ type: 'a', payload: '{' }, 'payload', 'must be JSON'],
    [{ type: 'a', payload: '1, "type": "b"' }, 'payload', 'must be JSON'],
    [{ type: 'a', payload: '{}', tags: 'a:1\nnothing' }, 'tags', '“nothing” must be name:value'],
  ])('of %j is refused at its field, and the API is not asked', async (fields, field, message) => {
    const { post, api } = buildTestConsole();
    const { statusCode, body } = await post(url, { ...fields, ordering_key: 'kept' }, tenantToken);
    expect(statusCode).toBe(400);
    expect(body).toMatch(new RegExp(`id="field-${field}-error">${message}`));
    expect(body).toContain('value="kept"');
    expect(api.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('shows what the API refuses at its field', async () => {
    const { post, api } = buildTestConsole();
    api.on(
      'POST /v1/events',
      problemReply(400, 'invalid_request', { errors: [{ field: '/tags/a', message: 'is too long' }] }),
    );
    const { statusCode, body } = await post(url, { type: 'a', payload: '{}', tags: 'a:1' }, tenantToken);
    expect(statusCode).toBe(400);
    expect(body).toContain('id="field-tags-error">is too long');
    expect(body).toContain('a:1</textarea>');
    api.on('POST /v1/events', problemReply(413, 'payload_too_large'));
    expect((await post(url, { type: 'a', payload: '{}' }, tenantToken)).body).toContain('is larger than 1 MiB');
  });

  test('needs the scope publish', async () => {
    const { get, post } = buildTestConsole();
    expect((await get(url, readToken)).statusCode).toBe(403);
    expect((await post(url, { type: 'a', payload: '{}' }, readToken)).body).toContain('scope publish');
    expect((await get(url, tenantToken)).statusCode).toBe(200);
  });
});

describe('replaying an event', () => {
  const url = `${eventUrl}/replay`;

  test.each([
    [{}, '{}'],
    [{ endpoint_id: '' }, '{}'],
    [{ endpoint_id: 'ep_1' }, '{"endpoint_id":"ep_1"}'],
  ])('with %j begins a replay', async (fields, sent) => {
    const { post, api } = buildTestConsole();
    api.on(`POST /v1/events/${eventId}/replay`, { status: 202, body: { id: 'rpl_1' } });
    const answer = await post(url, fields, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/t/acme/replays/rpl_1']);
    expect(api.calls.at(-1)?.body).toBe(sent);
    expect(api.calls.at(-1)?.headers['idempotency-key']).toBe('key-of-the-form');
  });

  test('offers the endpoints, and keeps the chosen one after a refusal', async () => {
    const { get, post, api } = buildTestConsole();
    giveEvent(api);
    api.on('GET /v1/endpoints', { body: [{ id: 'ep_1', url: 'https://erp.example/' }] });
    const { body } = await get(url, tenantToken);
    expect(body).toContain('All that match it today');
    expect(body).toContain('<option value="ep_1">https://erp.example/ alone</option>');
    api.on(
      `POST /v1/events/${eventId}/replay`,
      problemReply(400, 'invalid_request', {
        errors: [{ field: '/endpoint_id', message: 'is not the id of an endpoint' }],
      }),
    );
    const refused = await post(url, { endpoint_id: 'ep_1' }, tenantToken);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('<option value="ep_1" selected>');
    expect(refused.body).toContain('id="field-endpoint_id-error">is not the id of an endpoint');
    api.on(
      `POST /v1/events/${eventId}/replay`,
      problemReply(409, 'conflict', { detail: 'The payload has been removed' }),
    );
    const late = await post(url, {}, tenantToken);
    expect(late.statusCode).toBe(409);
    expect(late.body).toContain('The payload has been removed.');
  });

  test('needs the scope write', async () => {
    const { get, post, api } = buildTestConsole();
    giveEvent(api);
    expect((await get(eventUrl, readToken)).body).not.toMatch(/\/replay"|\/erase"/);
    expect((await get(url, readToken)).statusCode).toBe(403);
    expect((await post(url, {}, readToken)).body).toContain('scope write');
  });
});

describe('erasing an event', () => {
  const url = `${eventUrl}/erase`;
  const erasure = {
    id: 'ers_1',
    status: 'completed',
    as_of: '2026-01-01T12:00:00.000000Z',
    events: 1,
    event_id: eventId,
    filtered_by: [],
    removed: { deliveries: 2, receipts: 0 },
    kafka: [{ topic: 'hookline.events', kept_until: null }],
    kept_until: null,
    created_at: '2026-01-01T12:00:00.000000Z',
    completed_at: '2026-01-01T12:00:01.000000Z',
  };

  test('asks before it does it, and leads to the receipt', async () => {
    const { get, post, api } = buildTestConsole();
    giveEvent(api);
    expect((await get(eventUrl, tenantToken)).body).toContain(url);
    expect((await get(url, tenantToken)).body).toContain('Erase this event?');
    api.on(`DELETE /v1/events/${eventId}`, { status: 202, body: erasure });
    const answer = await post(url, {}, tenantToken);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/t/acme/erasures/ers_1']);
    api.on('GET /v1/erasures/ers_1', { body: erasure });
    const { statusCode, body } = await get('/t/acme/erasures/ers_1', tenantToken);
    expect(statusCode).toBe(200);
    expect(body).toContain('hookline.events');
    expect(body).toContain('for ever');
    expect(body).toContain('<code>deliveries</code>');
    expect(body).not.toContain('<code>receipts</code>');
    api.on('GET /v1/erasures/ers_1', { body: { ...erasure, status: 'running', kafka: null, completed_at: null } });
    expect((await get('/t/acme/erasures/ers_1', tenantToken)).body).toContain('Known once the erasure has completed');
  });

  test('needs the scope admin', async () => {
    const { get, post, api } = buildTestConsole();
    giveEvent(api);
    expect((await get(url, readToken)).statusCode).toBe(403);
    expect((await post(url, {}, readToken)).body).toContain('scope admin');
    expect((await get('/t/acme/erasures/ers_1', readToken)).statusCode).toBe(403);
  });
});
