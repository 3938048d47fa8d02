import { publishedSourceId } from '#lib/contract';
import { toBatchRows } from '../../../services/projector/batch-rows.ts';
import type { Fact } from '../../../services/projector/facts.ts';
import { writeBatch } from '../../../services/projector/write-batch.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { sweptOutbox } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { createTopic, startOutbox } from './publishing.ts';

let api: OpenApi;
let wakes = 0;
beforeAll(async () => {
  api = await openApi({ outbox: sweptOutbox(() => void (wakes += 1)) });
});
afterAll(() => api.close());
beforeEach(() => api.postgres.query('DELETE FROM outbox'));

const publish = (body: object | string, tenant = 'default') =>
  api.ask({ method: 'POST', path: '/v1/events', body, tenant });
const idOf = async (body: object, tenant?: string): Promise<string> => {
  const answer = await publish(body, tenant);
  expect(answer.status).toBe(202);
  return answer.json<{ id: string }>().id;
};
const read = async (id: string, tenant = 'default') =>
  (await api.ask({ path: `/v1/events/${id}`, tenant })).json<Record<string, unknown>>();

describe('an event that is published', () => {
  test('is answered for with its id, and can be read at once, in the list too', async () => {
    const before = wakes;
    const answer = await publish({ type: 'order.paid', payload: { n: 1 }, event_id: 'o-1', ordering_key: 'o' }, 'once');
    expect(answer.status).toBe(202);
    const { id } = answer.json<{ id: string }>();
    expect(answer.json()).toEqual({ id: expect.stringMatching(/^evt_[0-9a-z]{26}$/) as string });
    expect(answer.headers.location).toBe(`/v1/events/${id}`);
    expect(wakes).toBe(before + 1);

    const { payload, ordering_key: orderingKey, trace_id: traceId, ...event } = await read(id, 'once');
    expect(event).toMatchObject({ id, type: 'order.paid', source_id: 'api', event_id: 'o-1', status: 'received' });
    expect([payload, orderingKey, traceId]).toEqual([{ n: 1 }, 'o', expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect((await api.ask({ path: '/v1/events', tenant: 'once' })).json()).toEqual([event]);
    expect(
      (await api.ask({ path: `/v1/events?receipt_id=${event['receipt_id'] as string}`, tenant: 'once' })).json(),
    ).toEqual([event]);
  });

  test('has the text of its payload as that was written', async () => {
    const payload = '{ "big": 12345678901234567890, "n": 1.0,\n "t": "\\u00e4\\ud800", "payload": [] }';
    const answer = await publish(`\uFEFF {"payload":0, "pay\\u006coad" : ${payload} , "type":"a.b"}`);
    expect(answer.status).toBe(202);
    const { id } = answer.json<{ id: string }>();
    const { bytes, headers } = await api.ask({ path: `/v1/events/${id}/payload` });
    expect(bytes.toString()).toBe(payload);
    expect(headers['content-type']).toBe('application/json');
  });

  test.each([null, 0, false, '""', '[]', 'text'])('may be any JSON: %j', async (payload) => {
    const id = await idOf({ type: 'any', payload });
    expect((await read(id))['payload']).toEqual(payload);
  });

  test('without an identifier is an event of its own, each time', async () => {
    const body = { type: 'a', payload: {} };
    expect(await idOf(body)).not.toBe(await idOf(body));
  });

  test.each([
    [{ payload: {} }, '/type'],
    [{ type: 'a' }, '/payload'],
    [{ type: '', payload: {} }, '/type'],
    [{ type: 'a'.repeat(256), payload: {} }, '/type'],
    [{ type: 'order.*', payload: {} }, '/type'],
    [{ type: ' a', payload: {} }, '/type'],
    [{ type: 'a  b', payload: {} }, '/type'],
    [{ type: 'a\u200b', payload: {} }, '/type'],
    [{ type: 'a', payload: {}, event_id: '' }, '/event_id'],
    [{ type: 'a', payload: {}, event_id: 'x'.repeat(256) }, '/event_id'],
    [{ type: 'a', payload: {}, event_id: 'a\u0000' }, '/event_id'],
    [{ type: 'a', payload: {}, event_id: 7 }, '/event_id'],
    [{ type: 'a', payload: {}, ordering_key: 'a\nb' }, '/ordering_key'],
    [{ type: 'a', payload: {}, source_id: 'src' }, '/source_id'],
    [{ type: 'a', payload: {}, tags: ['a'] }, '/tags'],
    [{ type: 'a', payload: {}, tags: { a: 1 } }, '/tags/a'],
    [{ type: 'a', payload: {}, tags: { a: '' } }, '/tags/a'],
    [{ type: 'a', payload: {}, tags: { a: 'é'.repeat(65) } }, '/tags/a'],
    [{ type: 'a', payload: {}, tags: { a: 'b\nc' } }, '/tags/a'],
    [{ type: 'a', payload: {}, tags: { 'a:b': 'c' } }, '/tags/a:b'],
    [{ type: 'a', payload: {}, tags: { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' } }, '/tags'],
  ])('is refused where it is not valid: %j names %s', async (body, field) => {
    const answer = await publish(body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
  });

  test('has a payload of 1 MiB at most, whatever stands around it', async () => {
    const ofBytes = (bytes: number) => ({
      type: 'a'.repeat(255),
      payload: 'x'.repeat(bytes - 2),
      event_id: `${bytes}`,
    });
    expect((await publish(ofBytes(1024 * 1024))).status).toBe(202);
    const answer = await publish(ofBytes(1024 * 1024 + 1));
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ code: 'payload_too_large' });
    expect((await publish(ofBytes(2 * 1024 * 1024))).status).toBe(413);
  });

  test('has the tags that it is given, as far as they go, and is kept with them to be found by', async () => {
    const tags = { customer: 'é'.repeat(64), 'a.b_C-1': ':' };
    const id = await idOf({ type: 'a', payload: {}, tags }, 'tagged');
    const plain = await idOf({ type: 'a', payload: {} }, 'tagged');
    expect((await read(id, 'tagged'))['tags']).toEqual(tags);
    expect((await read(plain, 'tagged'))['tags']).toEqual({});
    expect(
      await api.postgres.query('SELECT tag, event_id FROM event_tags WHERE tenant = $1 ORDER BY tag', ['tagged']),
    ).toEqual([
      { tag: 'a.b_C-1::', event_id: id },
      { tag: `customer:${tags.customer}`, event_id: id },
    ]);
  });

  test('came by no request of a webhook', async () => {
    const id = await idOf({ type: 'a', payload: {} });
    const answer = await api.ask({ path: `/v1/events/${id}/request` });
    expect([answer.status, answer.json()]).toEqual([
      200,
      { method: null, path: null, client_address: null, headers: null, truncated: false },
    ]);
  });

  test('may be chosen by endpoints, as if it came from a source', async () => {
    const body = { url: 'https://example.com', source_ids: [publishedSourceId] };
    expect((await api.ask({ method: 'POST', path: '/v1/endpoints', body })).status).toBe(201);
  });
});

describe('an identifier', () => {
  test('that is known answers with the first event’s id, whatever else is new, and makes none', async () => {
    const tenant = 'known';
    const id = await idOf({ type: 'a', payload: 1, event_id: 'same' }, tenant);
    expect(await idOf({ type: 'b', payload: 2, event_id: 'same' }, tenant)).toBe(id);
    expect((await api.ask({ path: '/v1/events', tenant })).json<object[]>()).toHaveLength(1);
    expect(await read(id, tenant)).toMatchObject({ type: 'a', payload: 1, duplicates: 0 });
  });

  test('is a tenant’s own', async () => {
    const body = { type: 'a', payload: 1, event_id: 'shared' };
    expect(await idOf(body, 'one')).not.toBe(await idOf(body, 'two'));
  });

  test('that many publish at once is one event', async () => {
    const tenant = 'at-once';
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => idOf({ type: 'a', payload: n, event_id: 'race' }, tenant)),
    );
    expect(new Set(ids).size).toBe(1);
    expect((await api.ask({ path: '/v1/events', tenant })).json<object[]>()).toHaveLength(1);
    const rows = await api.postgres.query('SELECT FROM outbox WHERE tenant = $1', [tenant]);
    expect(rows).toHaveLength(1);
  });

  test('is remembered until the event is published, and for its time from then on; then it is new', async () => {
    const tenant = 'remembered';
    const body = { type: 'a', payload: 1, event_id: 'for-a-while' };
    const expiry = async () =>
      (
        await api.postgres.query<{ hours: number | null }>(
          `SELECT (extract(epoch FROM expires_at - clock_timestamp()) / 3600)::float8 AS hours FROM dedup_keys WHERE tenant = $1`,
          [tenant],
        )
      )[0]?.hours;
    const id = await idOf(body, tenant);
    expect(await expiry()).toBeNull();

    const topic = createTopic();
    const outbox = await startOutbox(api, topic);
    await waitUntil('it is published', async () => ((await expiry()) ?? null) !== null);
    await outbox.stop();
    expect(await expiry()).toBeCloseTo(72, 1);
    expect(await idOf(body, tenant)).toBe(id);

    // The API of the tests goes by a clock that stands still in the past: it is the row that is moved.
    await api.postgres.query(`UPDATE dedup_keys SET expires_at = '2001-01-01' WHERE tenant = $1`, [tenant]);
    expect(await idOf(body, tenant)).not.toBe(id);
  });
});

test('the projector knows the event when it comes by its topic, and judges it like any other', async () => {
  const tenant = 'projected';
  const id = await idOf({ type: 'a', payload: { n: 1 }, event_id: 'e' }, tenant);
  const before = await read(id, tenant);
  const topic = createTopic();
  const outbox = await startOutbox(api, topic);
  await waitUntil('it is published', () => topic.events.find((event) => event.id === id));
  await outbox.stop();

  const project = (facts: Fact[]) =>
    api.postgres.transaction((tx) =>
      writeBatch(
        tx,
        toBatchRows(facts, () => 0),
      ),
    );
  const [event] = topic.events.filter((published) => published.id === id);
  if (event === undefined) throw new Error('not published');
  for (let n = 0; n < 2; n += 1) await project([{ kind: 'event', event, traceparent: '', fanOut: null }]);
  expect(await read(id, tenant)).toEqual(before);
  const receipts = await api.postgres.query('SELECT duplicate FROM receipts WHERE tenant = $1', [tenant]);
  expect(receipts).toEqual([{ duplicate: false }]);

  await project([
    {
      kind: 'fan-out',
      fanOut: { tenant, event_id: id, generation: 0, at: event.received_at, deliveries: [], chunk: null },
    },
  ]);
  const after = await read(id, tenant);
  expect(after).toEqual({ ...before, status: 'completed', updated_at: after['updated_at'] });
  expect(String(after['updated_at']) > String(before['updated_at'])).toBe(true);
});
