import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventTypeSummary } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import { waitUntil } from '../../support/wait-until.ts';
import { nextPath, type OpenApi, openApi } from './api-over-database.ts';
import { authorization } from '../../unit/api/build-test-app.ts';

let api: OpenApi;
let statements = 0;
let granted = true;
const taken: string[] = [];

/** Types with sixty kilobytes of schema, beside each of the names. */
const typesSql = `
  WITH given AS (SELECT n, 'group.type' || lpad(n::text, 4, '0') AS name FROM generate_series(1, $2::int) AS n),
       types AS (INSERT INTO event_types (tenant, id, visibility, description, notes, words, enforce, version, bytes)
                 SELECT $1, 'typ_' || n, 'public', 'A type', '', 2, 'off', 1, 60000 FROM given),
       names AS (INSERT INTO event_type_names (tenant, name, type_id, kind) SELECT $1, name, 'typ_' || n, 'current' FROM given)
  INSERT INTO event_type_versions (tenant, type_id, version, schema, example, example_generated, notes, compatibility, differences)
  SELECT $1, 'typ_' || n, 1, json_build_object('type', 'object', 'description', repeat('x', $3::int)), '{}', false, '', 'initial', '[]'
    FROM given`;
const types = 300;

beforeAll(async () => {
  const limiter = {
    take: async (bucket: string) => {
      taken.push(bucket);
      return granted || !bucket.startsWith('export:')
        ? ({ granted: true } as const)
        : ({ granted: false, retryAfterMs: 1_200 } as const);
    },
  };
  api = await openApi({ limiter });
  const { query } = api.postgres;
  api.postgres.query = (...statement: Parameters<Query['query']>) => {
    statements += 1;
    return query(...statement);
  };
  await api.postgres.query(typesSql, ['acme', types, 60_000]);
});
afterAll(() => api.close());

const exported = async (query = '') => api.ask({ path: `/v1/event-types/export${query}`, tenant: 'acme' });
const namesIn = (document: { webhooks: object }): string[] => Object.keys(document.webhooks);

test('an export has every type, in an OpenAPI document', async () => {
  const answer = await exported();
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const document = answer.json<{ openapi: string; webhooks: Record<string, unknown> }>();
  expect(document.openapi).toBe('3.1.0');
  expect(namesIn(document)).toHaveLength(types);
  expect(document.webhooks['group.type0007']).toMatchObject({
    post: {
      operationId: 'group.type0007',
      requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
    },
  });
});

test('it comes in documents of so many types, each with a link to the next', async () => {
  const names: string[] = [];
  let documents = 0;
  for (let path: string | undefined = '/v1/event-types/export?limit=120&group=group'; path !== undefined;) {
    const answer = await api.ask({ path, tenant: 'acme' });
    names.push(...namesIn(answer.json()));
    documents += 1;
    path = nextPath(answer.headers['link']);
  }
  expect(documents).toBe(3);
  expect(names).toEqual([...new Set(names)]);
  expect(names).toHaveLength(types);
  expect(namesIn((await exported('?limit=10&group=none')).json())).toEqual([]);
  expect((await exported('?limit=0')).status).toBe(400);
});

test('a client that does not read it is read nothing for: memory holds a piece of it', async () => {
  const before = statements;
  const port = Number(new URL(await api.url()).port);
  const headers = { authorization, 'hookline-tenant': 'acme' };
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/v1/event-types/export', headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
  incoming.pause();
  let last = -1;
  await waitUntil('it waits for its client', async () => {
    const now = statements;
    await delay(300);
    const isStill = now === statements && now === last;
    last = statements;
    return isStill;
  });
  // The sockets of both sides hold some megabytes, of eighteen.
  expect(statements - before).toBeLessThan(types / 2);
  let length = 0;
  for await (const chunk of incoming) length += (chunk as Buffer).length;
  expect(length).toBeGreaterThan(types * 60_000);
});

test('a tenant that asks for more than its rate is 429', async () => {
  taken.length = 0;
  granted = false;
  const answer = await exported();
  granted = true;
  expect([answer.status, answer.headers['retry-after'], answer.json<{ code: string }>().code]).toEqual([
    429,
    '2',
    'rate_limited',
  ]);
  expect(taken).toEqual(['export:acme']);
});

test('the list of types has an ETag that moves with every change, and is 304 to who has it', async () => {
  const list = (headers: Record<string, string> = {}) =>
    api.ask({ path: '/v1/event-types?limit=1000', tenant: 'acme', headers });
  const first = await list();
  expect(first.json<EventTypeSummary[]>()).toHaveLength(types);
  let etag = String(first.headers['etag']);
  expect((await list({ 'if-none-match': etag })).status).toBe(304);
  const change = (method: string, path: string, body?: object) =>
    api.ask({ method, path: `/v1/event-types${path}`, tenant: 'acme', ...(body && { body }) });
  for (const [method, path, body] of [
    ['POST', '', { name: 'another' }],
    ['PATCH', '/another', { description: 'Another one' }],
    ['POST', '/another/rename', { to: 'yet.another' }],
    ['POST', '/yet.another/pause', { until: new Date(Date.UTC(2126, 0, 1)).toISOString() }],
    ['POST', '/yet.another/resume'],
    ['POST', '/yet.another/versions', { schema: { type: 'object' } }],
    ['DELETE', '/yet.another'],
  ] as const) {
    const answer = await change(method, path, body);
    expect([method, path, answer.status < 300, answer.status < 300 ? '' : answer.text]).toEqual([
      method,
      path,
      true,
      '',
    ]);
    const now = await list({ 'if-none-match': etag });
    expect([method, path, now.status]).toEqual([method, path, 200]);
    etag = String(now.headers['etag']);
    expect((await list({ 'if-none-match': etag })).status).toBe(304);
  }
});
