/** Every route of the API's document that names a resource, asked for another tenant's: byte for byte as for one that never was. */
import { randomBytes } from 'node:crypto';
import { createId, type IdPrefix } from '#lib/runtime';
import type { OpenApiDocument } from '../../../services/api/openapi/build-document.ts';
import { type OpenApi, openApi } from './api-over-database.ts';
import { createThings } from './openapi-world.ts';

let api: OpenApi;
/** The other tenant's ids, by the path's collection. */
let theirs: Record<string, string>;
let document: OpenApiDocument;
beforeAll(async () => {
  api = await openApi({ closing: AbortSignal.abort() });
  const tenant = 'theirs';
  const { source, endpoint, event, waiting, deadLetter, key } = await createThings(api, tenant);
  const begin = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await api.ask({ method, path, tenant, ...(body && { body }) });
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
    return answer.json<{ id: string }>().id;
  };
  const published = await begin('POST', '/v1/events', { type: 'a.b', payload: {} });
  theirs = {
    sources: source,
    endpoints: endpoint,
    events: event,
    deliveries: waiting,
    'dead-letters': deadLetter,
    'api-keys': key,
    replays: await begin('POST', '/v1/dead-letters/replay', { stage: 'dispatcher' }),
    sessions: await begin('POST', '/v1/sessions', {}),
    'portal-links': await begin('POST', '/v1/portal-links', { capabilities: ['view'] }),
    erasures: await begin('DELETE', `/v1/events/${published}`),
    'event-types': 'theirs.type',
  };
  await begin('POST', '/v1/event-types', { name: 'theirs.type', schema: true });
  document = (await api.ask({ path: '/openapi.json' })).json<OpenApiDocument>();
});
afterAll(() => api.close());

const prefixes: Readonly<Record<string, IdPrefix>> = {
  sources: 'src',
  endpoints: 'ep',
  events: 'evt',
  deliveries: 'dlv',
  'dead-letters': 'dl',
  'api-keys': 'key',
  replays: 'rpl',
  sessions: 'ses',
  erasures: 'ers',
  'portal-links': 'lnk',
};

/** Bodies without which the request would be refused before anything is looked for. */
const bodies: Readonly<Record<string, object>> = {
  updateSource: { name: 'mine' },
  updateEndpoint: { description: 'mine' },
  recoverEndpoint: { since: '2020-01-01T00:00:00Z' },
  verifyWebhook: { headers: {}, body: '' },
  updateEventType: { notes: 'mine' },
  renameEventType: { to: 'mine' },
  mergeEventType: { into: 'theirs.type' },
  publishEventTypeVersion: { schema: true },
};

test('another tenant’s resource is none, whatever is asked of it', async () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
  );
  // A tenant itself is the operator's alone.
  const named = operations.filter(
    ({ path, operationId }) =>
      /\{(?:id|name)\}/.test(path) && !path.startsWith('/v1/tenants/') && operationId !== 'putEventType',
  );
  expect(named.length).toBeGreaterThan(43);
  for (const { path, method, operationId } of named) {
    const collection = path.split('/')[2] ?? '';
    const [prefix, others] = [prefixes[collection], theirs[collection]];
    const never = prefix === undefined ? 'never.type' : createId(prefix, Date.now(), randomBytes);
    if (others === undefined || (prefix === undefined && !path.includes('{name}')))
      throw new Error(`${collection} has no example here`);
    const ask = async (id: string, tenant: string) => {
      const body = bodies[operationId] ?? (method === 'POST' ? {} : undefined);
      const answer = await api.ask({
        method,
        path: path.replace(/\{(?:id|name)\}/, id).replace('{version}', '1'),
        tenant,
        ...(body && { body }),
      });
      return [answer.status, { ...answer.headers, date: '' }, answer.text] as const;
    };
    const answers = [await ask(others, 'mine'), await ask(never, 'mine')] as const;
    expect([operationId, answers[0][0]]).toEqual([operationId, 404]);
    expect([operationId, ...answers[0]]).toEqual([operationId, ...answers[1]]);
  }
  // Theirs are there all the same, as they were.
  for (const [collection, id] of Object.entries(theirs).filter(([name]) => name !== 'sessions'))
    expect([collection, (await api.ask({ path: `/v1/${collection}/${id}`, tenant: 'theirs' })).status]).toEqual([
      collection,
      200,
    ]);
});

/** Lists that are not of things that a tenant has: of all tenants, and of what it may have. */
const ofNobody = ['/v1/tenants', '/v1/limits'];

test('a tenant without anything has nothing in any list', async () => {
  const lists = Object.entries(document.paths).filter(([path, methods]) => methods['get'] && !path.includes('{'));
  let found = 0;
  for (const [path] of lists) {
    const { status, text } = await api.ask({ path: `${path}${queryOf[path] ?? ''}`, tenant: 'nobody' });
    if (!text.startsWith('[') || ofNobody.includes(path)) continue;
    found += 1;
    expect([path, status, text]).toEqual([path, 200, '[]']);
  }
  expect(found).toBeGreaterThan(8);
  const search = await api.ask({ path: '/v1/events/search?filter=%7B%22n%22%3A1%7D', tenant: 'nobody' });
  expect(search.json()).toMatchObject({ matched: [], scanned: 0, complete: true });
  const stats = await api.ask({ path: '/v1/stats', tenant: 'nobody' });
  expect(stats.json()).toMatchObject({ series: [] });
  const limits = (await api.ask({ path: '/v1/limits', tenant: 'nobody' })).json<{ used: number | null }[]>();
  expect(limits.filter(({ used }) => used !== null && used > 0)).toEqual([]);
});

const queryOf: Readonly<Record<string, string>> = { '/v1/events': '?order=desc' };
