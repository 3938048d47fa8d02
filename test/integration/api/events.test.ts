import { gzipSync } from 'node:zlib';
import type { EventRequest, Tags } from '#lib/contract';
import { createId, derivedId, formatMicros, parseRfc3339 } from '#lib/runtime';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { writeBatch } from '../../../services/projector/write-batch.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';
import { noSend } from '../../support/no-send.ts';

interface EventJson {
  id: string;
  updated_at: string;
  [field: string]: unknown;
}

const at = Date.UTC(2026, 0, 1) * 1000;
let api: OpenApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** Into the database the way that events get there. */
const project = (facts: Fact[]): Promise<unknown> =>
  api.postgres.transaction((tx) =>
    writeBatch(
      tx,
      toBatchRows(facts, () => 0),
    ),
  );

function eventFact(given: {
  tenant: string;
  type?: string;
  payload?: Buffer;
  contentType?: string;
  contentEncoding?: string;
  request?: EventRequest;
  tags?: Tags;
}) {
  const id = createId('evt', at / 1000);
  const event = {
    id,
    tenant: given.tenant,
    source_id: `src_${'0'.repeat(26)}`,
    event_id: 'their-id',
    type: given.type ?? 'order.paid',
    receipt_id: createId('rcp', at / 1000),
    origin: `received-0-${id}`,
    received_at: at,
    dedup_key: Buffer.from(id),
    content_type: given.contentType ?? 'application/json',
    content_encoding: given.contentEncoding ?? null,
    http_headers: {},
    request: given.request ?? null,
    tags: given.tags ?? {},
    ordering_key: null,
    payload: given.payload ?? Buffer.from('{"n":1}'),
  };
  return { kind: 'event', event, traceparent: '', fanOut: null } as const;
}

const endpointIds = ['ep_a', 'ep_b', 'ep_c'];
const deliveryOf = (eventId: string, endpointId: string) => derivedId('dlv', at / 1000, [eventId, endpointId, '0']);

function fanOutFact(tenant: string, eventId: string): Fact {
  const deliveries = endpointIds.map((endpoint_id) => ({ endpoint_id, delivery_id: deliveryOf(eventId, endpoint_id) }));
  return { kind: 'fan-out', fanOut: { tenant, event_id: eventId, generation: 0, at, deliveries, chunk: null } };
}

const exchanged = (eventId: string) => ({
  request: { method: 'POST', url: 'https://receiver.test/', headers: { 'webhook-id': eventId, authorization: '***' } },
  response_headers: { server: 'größer' },
  timing: { dns_ms: 1.25, connect_ms: 2, tls_ms: null, first_byte_ms: 1234.56, body_ms: 0 },
});

const outcomeFact = (tenant: string, eventId: string, step: number, failed: boolean): Fact => ({
  kind: 'outcome',
  outcome: {
    ...noSend,
    kind: 'attempted',
    tenant,
    event_id: eventId,
    generation: 0,
    at: at + step,
    delivery_id: deliveryOf(eventId, 'ep_a'),
    endpoint_id: 'ep_a',
    ordering_key: null,
    step,
    attempt: step,
    status: failed ? 'retrying' : 'delivered',
    created_at: at,
    next_attempt_at: failed ? at + 1_000_000 : null,
    detail: failed ? 'answered 500' : null,
    outcome: failed ? 'http_5xx' : 'delivered',
    http_status: failed ? 500 : 200,
    duration_ms: 1.5,
    response_excerpt: Buffer.from(failed ? 'no' : ''),
    ...exchanged(eventId),
  },
});

describe('one event', () => {
  test('is shown as documented, with its payload, and its deliveries and attempts', async () => {
    const tenant = 'shown';
    const fact = eventFact({ tenant, tags: { customer: 'cus_1' } });
    const { id, receipt_id } = fact.event;
    await project([fact, fanOutFact(tenant, id), outcomeFact(tenant, id, 1, true), outcomeFact(tenant, id, 2, false)]);

    const event = {
      id,
      type: 'order.paid',
      source_id: fact.event.source_id,
      event_id: 'their-id',
      receipt_id,
      status: 'processing',
      received_at: '2026-01-01T00:00:00.000000Z',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/) as string,
      duplicates: 0,
      duplicates_changed: 0,
      tags: { customer: 'cus_1' },
      deliveries: { pending: 2, retrying: 0, delivered: 1, dead_lettered: 0, cancelled: 0 },
    };
    expect((await api.ask({ path: '/v1/events', tenant })).json()).toEqual([event]);
    expect((await api.ask({ path: `/v1/events/${id}`, tenant })).json()).toEqual({
      ...event,
      payload: { n: 1 },
      ordering_key: null,
      trace_id: null,
    });

    const deliveries = (await api.ask({ path: `/v1/events/${id}/deliveries`, tenant })).json<EventJson[]>();
    expect(deliveries.map(({ id: deliveryId }) => deliveryId)).toEqual(
      endpointIds.map((endpointId) => deliveryOf(id, endpointId)).sort(),
    );
    const delivered = {
      id: deliveryOf(id, 'ep_a'),
      event_id: id,
      event_type: 'order.paid',
      endpoint_id: 'ep_a',
      generation: 0,
      status: 'delivered',
      attempts: 2,
      next_attempt_at: null,
      detail: null,
      last_outcome: 'delivered',
      last_http_status: 200,
      last_detail: null,
      created_at: '2026-01-01T00:00:00.000000Z',
      updated_at: '2026-01-01T00:00:00.000002Z',
    };
    expect(deliveries).toContainEqual(delivered);
    expect((await api.ask({ path: `/v1/deliveries/${delivered.id}`, tenant })).json()).toEqual(delivered);
    expect((await api.ask({ path: `/v1/deliveries/${delivered.id}/attempts`, tenant })).json()).toEqual([
      {
        attempt: 1,
        at: '2026-01-01T00:00:00.000001Z',
        outcome: 'http_5xx',
        http_status: 500,
        duration_ms: 1.5,
        detail: 'answered 500',
        response_excerpt: 'no',
        response_excerpt_encoding: 'text',
        ...exchanged(id),
      },
      {
        attempt: 2,
        at: '2026-01-01T00:00:00.000002Z',
        outcome: 'delivered',
        http_status: 200,
        duration_ms: 1.5,
        detail: null,
        response_excerpt: '',
        response_excerpt_encoding: 'text',
        ...exchanged(id),
      },
    ]);
  });

  test('has the request of its webhook, secrets masked; another tenant’s has none', async () => {
    const tenant = 'requests';
    const request: EventRequest = {
      method: 'POST',
      path: '/v1/webhooks/src_1?hub.verify_token=***',
      client_address: '192.0.2.7',
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'Authorization', value: null },
        { name: 'x-a', value: 'ä"\\' },
      ],
      truncated: true,
    };
    const sealed = { authorization: ['c2VhbGVk'] };
    const [known, old] = [eventFact({ tenant, request: { ...request, sealed } }), eventFact({ tenant })];
    await project([known, old]);
    const ask = (id: string, of = tenant) => api.ask({ path: `/v1/events/${id}/request`, tenant: of });
    expect((await ask(known.event.id)).json()).toEqual({
      ...request,
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'Authorization', value: '***' },
        { name: 'x-a', value: 'ä"\\' },
      ],
    });
    // Nothing is known of an event from before requests were kept, which is not that there was no request.
    expect((await ask(old.event.id)).json()).toEqual({
      method: null,
      path: null,
      client_address: null,
      headers: null,
      truncated: false,
    });
    const [others, none] = [await ask(known.event.id, 'other'), await ask(createId('evt', at / 1000), 'other')];
    expect(others.status).toBe(404);
    expect([others.status, others.text, { ...others.headers, date: '' }]).toEqual([
      ...[none.status, none.text, { ...none.headers, date: '' }],
    ]);
  });

  test('has its payload in it only where that is JSON, and then as the sender wrote it', async () => {
    const read = async (payload: string | Buffer, contentType: string) => {
      const fact = eventFact({ tenant: 'payloads', payload: Buffer.from(payload), contentType });
      await project([fact]);
      return (await api.ask({ path: `/v1/events/${fact.event.id}`, tenant: 'payloads' })).text;
    };
    expect(await read('{"big": 12345678901234567890, "n": 1.0}', 'text/plain')).toContain(
      ',"payload":{"big": 12345678901234567890, "n": 1.0}}',
    );
    expect(await read('a=1', 'application/x-www-form-urlencoded')).not.toContain('"payload"');
    expect(await read('{"half":', 'application/json')).not.toContain('"payload"');
    expect(await read('', 'application/json')).not.toContain('"payload"');
  });

  test('has a payload that came encoded in it, decoded; or says why not', async () => {
    const read = async (payload: Buffer, contentEncoding: string) => {
      const fact = eventFact({ tenant: 'encoded', payload, contentEncoding });
      await project([fact]);
      const path = `/v1/events/${fact.event.id}`;
      const [event, bytes] = [
        await api.ask({ path, tenant: 'encoded' }),
        await api.ask({ path: `${path}/payload`, tenant: 'encoded' }),
      ];
      expect(bytes.bytes.equals(payload)).toBe(true);
      return { text: event.text, encoding: bytes.headers['content-encoding'] };
    };
    const json = '{"big": 12345678901234567890}';
    expect(await read(gzipSync(json), 'gzip')).toEqual({
      text: expect.stringContaining(`,"payload":${json}}`) as string,
      encoding: 'gzip',
    });
    for (const [payload, encoding, why] of [
      [gzipSync(' '.repeat(4_000_000)), 'gzip', 'too_large'],
      [Buffer.from(json), 'br', 'malformed'],
      [gzipSync(json), 'gzip, x', 'unsupported'],
    ] as const) {
      const shown = await read(payload, encoding);
      expect(shown).toEqual({ text: expect.stringContaining(`"payload_undecoded":"${why}"`) as string, encoding });
      expect(shown.text).not.toContain('"payload":');
    }
    // No list of tokens, and no header that any client could go by.
    for (const encoding of ['gzip;q=1', 'a b', 'bad\r\nset-cookie: a=b', ','])
      expect(await read(gzipSync(json), encoding)).toMatchObject({ encoding: undefined });
  });

  test.each([
    ['application/json', 'application/json'],
    ['text/html; charset=Latin-1', 'text/html; charset=Latin-1'],
    ['application/cloudevents+json', 'application/cloudevents+json'],
    ['', 'application/octet-stream'],
    ['bad\r\nset-cookie: a=b', 'application/octet-stream'],
  ])('gives back its bytes as they came, content type %j as %j, for no browser to run', async (contentType, shown) => {
    const payload = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const fact = eventFact({ tenant: 'bytes', payload, contentType });
    await project([fact]);
    const path = `/v1/events/${fact.event.id}/payload`;
    const answer = await api.ask({ path, tenant: 'bytes' });
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(payload)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': shown,
      'content-length': '256',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment',
      'content-security-policy': expect.stringContaining('sandbox') as string,
      'cache-control': 'private, no-store',
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    const head = await api.ask({ method: 'HEAD', path, tenant: 'bytes' });
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '256', '']);
  });

  test('of another tenant does not exist, nor does anything of it', async () => {
    const fact = eventFact({ tenant: 'acme' });
    const { id, receipt_id } = fact.event;
    await project([fact, fanOutFact('acme', id), outcomeFact('acme', id, 1, true)]);
    const paths = [
      `/v1/events/${id}`,
      `/v1/events/${id}/payload`,
      `/v1/events/${id}/deliveries`,
      `/v1/deliveries/${deliveryOf(id, 'ep_a')}`,
      `/v1/deliveries/${deliveryOf(id, 'ep_a')}/attempts`,
    ];
    for (const path of paths) {
      expect((await api.ask({ path, tenant: 'acme' })).status).toBe(200);
      const foreign = await api.ask({ path, tenant: 'rival' });
      const missing = await api.ask({ path: path.replace(/_[0-9a-z]{26}/, `_${'0'.repeat(26)}`), tenant: 'rival' });
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe(missing.text);
    }
    expect((await api.ask({ path: '/v1/events', tenant: 'rival' })).json()).toEqual([]);
    expect((await api.ask({ path: `/v1/events?receipt_id=${receipt_id}`, tenant: 'rival' })).json()).toEqual([]);
  });
});

describe('the list of events', () => {
  const tenant = 'listed';
  const facts = Array.from({ length: 7 }, (_, index) => eventFact({ tenant, type: index < 2 ? 'a' : 'b' }));
  const duplicateReceipt = createId('rcp', at / 1000);
  const list = async (query: string): Promise<EventJson[]> =>
    (await api.ask({ path: `/v1/events${query}`, tenant })).json<EventJson[]>();
  const idOf = (index: number): string => facts[index]?.event.id ?? '';

  beforeAll(async () => {
    for (const fact of facts) await project([fact]);
    await project([
      { kind: 'fan-out', fanOut: { tenant, event_id: idOf(2), generation: 0, at, deliveries: [], chunk: null } },
    ]);
    const { event } = facts[4] ?? eventFact({ tenant });
    await project([
      {
        kind: 'duplicate',
        duplicate: {
          tenant,
          source_id: event.source_id,
          receipt_id: duplicateReceipt,
          origin: 'received-0-99',
          received_at: at,
          dedup_key: event.dedup_key.toString('hex'),
          event_id: event.id,
          event_id_end: event.id.slice(-2),
          body_hash: '00'.repeat(8),
          changed: true,
        },
      },
    ]);
  });

  test('is in the order of the last changes, which no two events share', async () => {
    const events = await list('');
    expect(events.map(({ id }) => id)).toEqual([0, 1, 3, 5, 6, 2, 4].map(idOf));
    const times = events.map(({ updated_at }) => updated_at);
    expect(times).toEqual([...new Set(times)].sort());
  });

  test('begins, with updated_at_gte, at exactly that microsecond', async () => {
    const all = await list('');
    const third = all[2]?.updated_at ?? '';
    const since = (time: string) => list(`?updated_at_gte=${encodeURIComponent(time)}`);
    expect(await since(third)).toEqual(all.slice(2));
    // The same instant, written in another zone.
    expect(await since(third.replace('Z', '+00:00'))).toEqual(all.slice(2));
    expect(await since(formatMicros((parseRfc3339(third) ?? 0) + 1))).toEqual(all.slice(3));
    expect(await since('0001-01-01T00:00:00Z')).toEqual(all);
    expect(await since('9999-12-31T23:59:59.999999Z')).toEqual([]);
  });

  test('is filtered by status, type, source and receipt, a duplicate’s receipt included', async () => {
    const ids = async (query: string) => (await list(query)).map(({ id }) => id);
    expect(await ids('?status=completed')).toEqual([idOf(2)]);
    expect(await ids('?type=a')).toEqual([idOf(0), idOf(1)]);
    expect(await ids(`?type=b&status=received&source_id=src_${'0'.repeat(26)}`)).toEqual([3, 5, 6, 4].map(idOf));
    expect(await ids('?source_id=src_other')).toEqual([]);
    expect(await ids(`?receipt_id=${facts[1]?.event.receipt_id}`)).toEqual([idOf(1)]);
    expect(await ids(`?receipt_id=${duplicateReceipt}`)).toEqual([idOf(4)]);
    expect(await list(`?receipt_id=${duplicateReceipt}`)).toMatchObject([{ duplicates: 1, duplicates_changed: 1 }]);
    expect(await ids("?type='%20OR%201=1%20--")).toEqual([]);
  });

  test('in pages, followed to the end, has every event once', async () => {
    const all = (await list('')).map(({ id }) => id);
    const pages: string[][] = [];
    for (let path: string | undefined = '/v1/events?limit=3'; path !== undefined;) {
      const answer = await api.ask({ path, tenant });
      pages.push(answer.json<EventJson[]>().map(({ id }) => id));
      path = nextPath(answer.headers.link);
    }
    expect(pages).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6)]);
  });

  test('keeps its filters from page to page', async () => {
    const answer = await api.ask({ path: '/v1/events?type=b&limit=2', tenant });
    expect(nextPath(answer.headers.link)).toContain('type=b');
    expect(nextPath(answer.headers.link)).toContain('limit=2');
  });

  test('links to no page after the last, not even where that is full', async () => {
    expect((await api.ask({ path: '/v1/events?limit=7', tenant })).headers.link).toBeUndefined();
    expect((await api.ask({ path: '/v1/events?limit=6', tenant })).headers.link).toBeDefined();
  });
});

test('deliveries and attempts come in pages, too', async () => {
  const tenant = 'many';
  const fact = eventFact({ tenant });
  const { id } = fact.event;
  const outcomes = [1, 2, 3, 4, 5].map((step) => outcomeFact(tenant, id, step, step < 5));
  await project([fact, fanOutFact(tenant, id), ...outcomes]);
  const lengths = async (first: string): Promise<number[]> => {
    const found: number[] = [];
    for (let path: string | undefined = first; path !== undefined;) {
      const answer = await api.ask({ path, tenant });
      found.push(answer.json<object[]>().length);
      path = nextPath(answer.headers.link);
    }
    return found;
  };
  expect(await lengths(`/v1/events/${id}/deliveries?limit=2`)).toEqual([2, 1]);
  expect(await lengths(`/v1/deliveries/${deliveryOf(id, 'ep_a')}/attempts?limit=2`)).toEqual([2, 2, 1]);
});
