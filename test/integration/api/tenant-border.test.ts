import { randomBytes, randomInt } from 'node:crypto';
import type { HTTPMethods } from 'fastify';
import type { Query } from '#lib/postgres';
import { createId, type IdPrefix } from '#lib/runtime';
import type { KnownKey } from '../../../services/api/keys/key-directory.ts';
import { signedRankZ } from '../../support/signed-rank.ts';
import { buildTestApp } from '../../unit/api/build-test-app.ts';
import { type OpenApi, openApi } from './api-over-database.ts';

/**
 * Another tenant's resource looks like one that does not exist: neither the answer nor its time tells them apart.
 *
 * Sends 2,000 pairs of each, one request after the other in random order, and applies a signed-rank test. Without a difference, z is beyond
 * 4.4 once in 100,000 runs; a difference of a tenth of the pairs' own spread, some hundredths of a millisecond, reaches that on average.
 */

const warmUpPairs = 200;
const threshold = 4.4;
const resources = 100;

const asker: KnownKey = { id: 'key_1', tenant: 'acme', scopes: ['admin'], rateLimit: undefined };

let api: OpenApi;
const ids = new Map<string, { others: string[]; never: string[] }>();

beforeAll(async () => {
  api = await openApi();
  const kinds: [string, IdPrefix, object][] = [
    ['endpoints', 'ep', { url: 'https://example.com/in' }],
    ['events', 'evt', { type: 'order.paid', payload: { id: 1 } }],
    ['sessions', 'ses', {}],
  ];
  for (const [collection, prefix, body] of kinds) {
    const others: string[] = [];
    const never: string[] = [];
    for (let index = 0; index < resources; index += 1) {
      const path = `/v1/${collection}`;
      others.push((await api.ask({ method: 'POST', path, body, tenant: 'other' })).json<{ id: string }>().id);
      // Ids of the same times as the others', so that they lead to the same places of an index.
      never.push(createId(prefix, Date.now(), randomBytes));
      await api.ask({ method: 'POST', path, body, tenant: 'acme' });
    }
    ids.set(collection, { others, never });
  }
});
afterAll(() => api.close());

/** How much longer what is another's takes than what never was, in standard deviations of chance. */
async function compareTimes(method: HTTPMethods, collection: string, query: Query['query'], pairs = 2_000) {
  const store = { query, transaction: <T>(work: (tx: Query) => Promise<T>) => api.postgres.transaction(work) };
  const { app } = buildTestApp({ postgres: store, findKey: async () => asker });
  const { others, never } = ids.get(collection) ?? { others: [], never: [] };
  const answers = new Set<string>();
  const time = async (id: string | undefined): Promise<number> => {
    const beganAtMs = performance.now();
    const answer = await app.inject({
      method,
      url: `/v1/${collection}/${id}`,
      headers: { authorization: 'Bearer a-key' },
    });
    const tookMs = performance.now() - beganAtMs;
    answers.add(JSON.stringify([answer.statusCode, { ...answer.headers, date: '' }, answer.body]));
    return tookMs;
  };
  const times: [number, number][] = [];
  for (let pair = -warmUpPairs; pair < pairs; pair += 1) {
    const place = randomInt(resources);
    const othersFirst = randomInt(2) === 0;
    const first = await time(othersFirst ? others[place] : never[place]);
    const second = await time(othersFirst ? never[place] : others[place]);
    if (pair >= 0) times.push(othersFirst ? [first, second] : [second, first]);
  }
  await app.close();
  return { z: signedRankZ(times), answers: [...answers] };
}

const straight: Query['query'] = (...statement) => api.postgres.query(...statement);

test.each([
  ['GET', 'events'],
  ['GET', 'endpoints'],
  ['DELETE', 'endpoints'],
  ['DELETE', 'sessions'],
] as const)('%s of one of another’s %s answers as for what never was, in the same time', async (method, collection) => {
  // A machine that does other work meanwhile shifts times by itself, but not three times in the same direction.
  const zs: number[] = [];
  do {
    const { z, answers } = await compareTimes(method, collection, straight);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatch(/^\[404,/);
    zs.push(z);
  } while (Math.abs(zs.at(-1) ?? 0) >= threshold && zs.length < 3);
  const isShifted = zs.every((z) => z >= threshold) || zs.every((z) => z <= -threshold);
  expect({ zs, isShifted }).toMatchObject({ isShifted: false });
});

test.each<[HTTPMethods, string, object | undefined]>([
  ['GET', '/v1/events/:id/receipts', undefined],
  ['GET', '/v1/events/:id/matching', undefined],
  ['POST', '/v1/sources/:id/verify', { headers: {}, body: '' }],
  ['POST', '/v1/sources/:id/sample', {}],
])('%s %s answers for what is another’s as for what never was, byte for byte', async (method, path, body) => {
  const source = { name: 'theirs', scheme: 'hookline' };
  const created = await api.ask({ method: 'POST', path: '/v1/sources', body: source, tenant: 'other' });
  const [others = '', never = ''] = path.includes('/events/')
    ? [ids.get('events')?.others[0], ids.get('events')?.never[0]]
    : [created.json<{ id: string }>().id, createId('src', Date.now(), randomBytes)];
  const answers = await Promise.all(
    [others, never].map(async (id) => {
      const answer = await api.ask({
        method: String(method),
        path: path.replace(':id', id),
        tenant: 'acme',
        ...(body && { body }),
      });
      return [answer.status, { ...answer.headers, date: '' }, answer.text];
    }),
  );
  expect(answers[0]?.[0]).toBe(404);
  expect(answers[0]).toEqual(answers[1]);
});

test.each(['endpoint_id', 'event_id', 'source_id', 'receipt_id', 'ordering_key', 'type'])(
  'lists by another’s %s answer as by what never was',
  async (filter) => {
    const path = `/v1/events/${ids.get('events')?.others[0]}`;
    const others = (await api.ask({ path, tenant: 'other' })).json<Record<string, string>>();
    const { others: endpoints = [], never = [] } = ids.get('endpoints') ?? {};
    const value = filter === 'endpoint_id' ? endpoints[0] : others[filter];
    const foreign = filter === 'type' ? 'other.type' : (value ?? 'none');
    for (const list of ['events?order=desc', ...(filter === 'endpoint_id' ? ['deliveries?'] : [])]) {
      const answerTo = async (text: string) => {
        const { status, text: body } = await api.ask({ path: `/v1/${list}&${filter}=${text}`, tenant: 'nobody' });
        return { status, body };
      };
      expect(await answerTo(foreign)).toEqual({ status: 200, body: '[]' });
      expect(await answerTo(foreign)).toEqual(await answerTo(never[0] ?? ''));
    }
  },
);

test('an API that finds a resource by its id, and then asks whose it is, would be seen', async () => {
  const leaky: Query['query'] = async (text, values = [], name) => {
    const [, id] = values;
    const owners = await api.postgres.query<{ tenant: string }>('SELECT tenant FROM endpoints WHERE id = $1', [id]);
    return owners.length === 0 ? [] : api.postgres.query(text, values, name);
  };
  const { z, answers } = await compareTimes('GET', 'endpoints', leaky, 500);
  expect(answers).toHaveLength(1);
  expect(z).toBeGreaterThan(threshold);
});

test('the test itself finds a shift, and none where there is none', () => {
  const noise = () => randomInt(1_000_000);
  const of = (shift: number) => Array.from({ length: 2_000 }, () => [noise() + shift, noise()] as const);
  expect(Math.abs(signedRankZ(of(0)))).toBeLessThan(threshold);
  expect(signedRankZ(of(100_000))).toBeGreaterThan(threshold);
  expect(signedRankZ(of(-100_000))).toBeLessThan(-threshold);
});
