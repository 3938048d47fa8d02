import { randomBytes } from 'node:crypto';
import type { RouteOptions } from 'fastify';
import { createPostgresStore } from '#lib/idempotency';
import { systemClock } from '#lib/runtime';
import type { Answer, Asking } from '../../unit/api/ask.ts';
import {
  authorization,
  buildTestApp,
  noPostgres,
  postgresOf,
  sweptOutbox,
  testRoutes,
  testSecretBox,
} from '../../unit/api/build-test-app.ts';
import { isReplay } from '../../unit/idempotency/world.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

let api: OpenApi;
let woken = 0;
beforeAll(async () => {
  api = await openApi({ clock: systemClock, outbox: sweptOutbox(() => void (woken += 1)) });
});
afterAll(async () => {
  await api.close();
});

const post = (path: string, key: string, body: object = {}, tenant?: string): Promise<Answer> =>
  api.ask({
    method: 'POST',
    path,
    body,
    headers: { 'idempotency-key': key },
    ...(tenant !== undefined && { tenant }),
  });

const rowsOf = async (table: string): Promise<number> => (await api.postgres.query(`SELECT FROM ${table}`)).length;

const endpoint = { url: 'https://hooks.test/a' };

test('a secret that is shown once is shown again to who asks with the same key, and is the one that was made', async () => {
  const before = await rowsOf('endpoints');
  const fresh = await post('/v1/endpoints', 'create', endpoint);
  const again = await post('/v1/endpoints', 'create', endpoint);
  expect([fresh.status, isReplay(fresh), again.status, isReplay(again)]).toEqual([201, false, 201, true]);
  expect(again.text).toBe(fresh.text);
  expect(again.headers.location).toBe(fresh.headers.location);
  expect(again.headers['cache-control']).toBe('private, no-store');
  expect(await rowsOf('endpoints')).toBe(before + 1);

  const { id } = fresh.json<{ id: string }>();
  const rotated = await post(`/v1/endpoints/${id}/rotate-secret`, 'rotate');
  expect((await post(`/v1/endpoints/${id}/rotate-secret`, 'rotate')).text).toBe(rotated.text);
  const row = (await api.ask({ path: `/v1/endpoints/${id}` })).headers.etag;
  expect(row).toBe('"2"');
});

test('another request with the key is 422, in another tenant it is another key, and what is missing is missing again', async () => {
  await post('/v1/sources', 'k', { name: 'a', scheme: 'github' });
  expect((await post('/v1/sources', 'k', { name: 'b', scheme: 'github' })).json()).toMatchObject({
    status: 422,
    code: 'idempotency_key_reused',
  });
  expect((await post('/v1/sources', 'k', { name: 'b', scheme: 'github' }, 'other')).status).toBe(201);
  const missing = `/v1/endpoints/ep_${'0'.repeat(26)}/enable`;
  expect((await post(missing, 'missing')).status).toBe(404);
  const again = await post(missing, 'missing');
  expect([again.status, isReplay(again), again.headers['content-type']]).toEqual([
    404,
    true,
    'application/problem+json',
  ]);
});

test('a request that the schema refuses is not kept: corrected, it is carried out under the same key', async () => {
  expect((await post('/v1/endpoints', 'corrected', { urls: 'x' })).status).toBe(400);
  expect((await post('/v1/endpoints', 'corrected', endpoint)).status).toBe(201);
});

test('an event is published once a key, and the outbox is woken when it is there', async () => {
  const [events, wokenBefore] = [await rowsOf('events'), woken];
  const body = { type: 'order.paid', payload: { n: 1 } };
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => post('/v1/events', `event ${index % 20}`, body)),
  );
  // 503 where the machine is busy: to be sent again with the same key, as the others are.
  expect(new Set(answers.map(({ status }) => status)).isSubsetOf(new Set([202, 409, 503]))).toBe(true);
  const ids = await Promise.all(
    Array.from(
      { length: 20 },
      async (_, index) => (await post('/v1/events', `event ${index}`, body)).json<{ id: string }>().id,
    ),
  );
  expect(new Set(ids).size).toBe(20);
  expect(await rowsOf('events')).toBe(events + 20);
  // Once a group, however many it publishes.
  expect(woken).toBeGreaterThan(wokenBefore);
  expect(woken).toBeLessThanOrEqual(wokenBefore + 20);
  for (const answer of answers) if (answer.status === 202) expect(ids).toContain(answer.json<{ id: string }>().id);
});

test('a test of an endpoint is sent once a key, though its answer comes later', async () => {
  const { id } = (await post('/v1/endpoints', 'tested', { ...endpoint, timeout_ms: 1_000 })).json<{ id: string }>();
  const events = await rowsOf('events');
  const first = post(`/v1/endpoints/${id}/test`, 'test');
  await waitUntil('the sample is there', async () => (await rowsOf('events')) > events);
  const meanwhile: number[] = [];
  let done = false;
  void first.finally(() => (done = true));
  while (!done) meanwhile.push((await post(`/v1/endpoints/${id}/test`, 'test')).status);
  expect((await first).status).toBe(202);
  // The last one may have come after the answer.
  expect(new Set(meanwhile.slice(0, -1))).toEqual(new Set([409]));
  const again = await post(`/v1/endpoints/${id}/test`, 'test');
  expect([again.status, isReplay(again), again.text]).toEqual([202, true, (await first).text]);
  expect(await rowsOf('events')).toBe(events + 1);
});

describe('every POST', () => {
  const id = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`;
  const bodies: Readonly<Record<string, object>> = {
    '/v1/sources': { name: 'a', scheme: 'github' },
    '/v1/endpoints': endpoint,
    '/v1/endpoints/:id/recover': { since: '2026-01-01T00:00:00Z' },
    '/v1/events': { type: 'a', payload: 1 },
    '/v1/dead-letters/replay': { all: true },
    '/v1/portal-links': { capabilities: ['view'] },
    '/v1/api-keys': { name: 'a', scopes: ['read'] },
    '/v1/sources/:id/verify': { headers: {}, body: '' },
    '/v1/event-types': { name: 'a' },
    '/v1/event-types/import': { document: { a: true } },
    '/v1/event-types/:name/rename': { to: 'b' },
    '/v1/event-types/:name/merge': { into: 'b' },
    '/v1/event-types/:name/versions': { schema: true },
    '/v1/erasures': { filter: { type: 'a' }, as_of: 'none' },
  };
  const prefixes: Readonly<Record<string, string>> = {
    sources: 'src',
    endpoints: 'ep',
    events: 'evt',
    deliveries: 'dlv',
  };
  const requests = testRoutes()
    // A request without a caller has nobody whose key it could be.
    .filter(({ method, config }) => method === 'POST' && config?.idempotencyKey !== 'ignored')
    .map(({ url }: RouteOptions): [string, Asking] => [
      url,
      {
        method: 'POST',
        path: url.replace(':id', id(prefixes[url.split('/')[2] ?? ''] ?? 'x')).replace(':name', 'named'),
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': url },
        body: bodies[url] ?? {},
      },
    ]);

  /** Whether a schema is enforced, and what the newest versions are, is read before a request begins, while it holds no connection. */
  const onlyBefore = postgresOf(async (text, values) =>
    text.includes('t.enforce <>') || text.includes('v.example::text AS example') ? [] : noPostgres.query(text, values),
  );

  // A second connection would be waited for while one is held, and what is written there would be there without its record.
  test.each(requests)('does all that it does in the transaction of its key: %s', async (_url, asking) => {
    const { app, ask } = buildTestApp({
      postgres: onlyBefore,
      idempotency: {
        lockSeconds: 90,
        store: createPostgresStore({
          postgres: api.postgres,
          secretBox: testSecretBox,
          random: randomBytes,
          lockSeconds: 90,
          ttlSeconds: 3_600,
        }),
      },
    });
    const fresh = await ask(asking);
    expect(fresh.status).toBeLessThan(500);
    const again = await ask(asking);
    expect([again.status, isReplay(again), again.text]).toEqual([fresh.status, true, fresh.text]);
    await app.close();
  });
});
