import { setTimeout } from 'node:timers/promises';
import { createPostgres, type Postgres } from '#lib/postgres';
import { createId, type IdPrefix, silentLogger } from '#lib/runtime';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type Answer, askAt } from '../unit/api/ask.ts';
import { testRoutes } from '../unit/api/build-test-app.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

/** Two tenants with one resource of each kind: tests what one may do with the other's, on every route. */

/** The prefix of the ids of each collection's resources. */
const prefixes: Record<string, IdPrefix> = {
  sources: 'src',
  endpoints: 'ep',
  events: 'evt',
  deliveries: 'dlv',
  'dead-letters': 'dl',
  replays: 'rpl',
  'api-keys': 'key',
  sessions: 'ses',
  'portal-links': 'lnk',
  erasures: 'ers',
};
/** Collections without ids, or with ids that are names; each has a test of its own. */
const others = ['audit', 'event-types', 'limits', 'me', 'stats', 'system', 'tenants'];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];

const routes = testRoutes().map(({ method, url, schema }) => {
  const [, collection = ''] = /^\/v1\/([^/]+)/.exec(url) ?? [];
  // A new kind of resource must be among those that the tenants have.
  if (prefixes[collection] === undefined && !others.includes(collection)) throw new Error(`${url}: which ids has it?`);
  return { method: String(method), url, collection, body: bodyOf(url, schema?.body as Schema | undefined) };
});

interface Schema {
  required?: readonly string[];
}

/** The least that the schema takes, so that a refusal is for the id and not for the body. */
function bodyOf(url: string, schema: Schema | undefined): object | undefined {
  const values: Record<string, unknown> = { since: '2026-01-01T00:00:00Z', headers: {}, body: '', name: 'ours' };
  const names = url.includes(':id') ? (schema?.required ?? []) : [];
  return (
    schema &&
    Object.fromEntries(
      names.map((name) => {
        if (values[name] === undefined) throw new Error(`${url}: no value for ${name}`);
        return [name, values[name]];
      }),
    )
  );
}

let pipeline: OwnPipeline;
let receiver: Receiver;
let postgres: Postgres;
beforeAll(async () => {
  receiver = await startReceiver();
  receiver.react(() => ({ status: 500 }));
  pipeline = await startOwnPipeline({ services: ['dispatcher', 'projector', 'api'] });
  const { databaseUrl: url } = pipeline.stack;
  postgres = createPostgres({
    url,
    applicationName: 'hookline-tests',
    maxConnections: 2,
    statementTimeoutMs: 10_000,
    log: silentLogger,
  });
  await postgres.start();
});
afterAll(async () => {
  await postgres?.stop();
  await pipeline?.close();
  await receiver?.stop();
});

interface Asking {
  method?: string;
  path: string;
  body?: object | undefined;
  key?: string;
  tenant?: string;
}

/** Every route several times is more than the rate of a key: what comes too early is asked again. */
async function ask(asking: Asking): Promise<Answer> {
  for (;;) {
    const answer = await askOnce(asking);
    if (answer.status !== 429) return answer;
    await setTimeout(Number(answer.headers['retry-after']) * 1_000);
  }
}

function askOnce({ method = 'GET', path, body, key = pipeline.stack.adminKey, tenant }: Asking): Promise<Answer> {
  return askAt(Number(new URL(pipeline.stack.apiUrl).port), {
    method,
    path,
    headers: {
      authorization: `Bearer ${key}`,
      ...(tenant !== undefined && { 'hookline-tenant': tenant }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
}

interface Tenant {
  name: string;
  /** With the scope admin. */
  key: string;
  /** By collection. */
  ids: Record<string, string>;
  receiptId: string;
}

/** One of everything, made as an operator makes it: an event whose delivery has died, been replayed, and died again. */
async function settle(name: string): Promise<Tenant> {
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await ask({ method: 'POST', path, body, tenant: name });
    if (answer.status >= 300) throw new Error(`POST ${path} → ${answer.status} ${answer.text}`);
    return answer.json();
  };
  const find = <T>(what: string, path: string, look: (found: Record<string, string>[]) => T | undefined): Promise<T> =>
    waitUntil(what, async () => look((await ask({ path, tenant: name })).json()));
  const id = ({ id: found = '' }: Record<string, string>): string => found;

  const erased = await make('/v1/events', { type: 'order.paid', payload: { of: name }, event_id: 'ord_0' });
  const erasing = await ask({ method: 'DELETE', path: `/v1/events/${id(erased)}`, tenant: name });
  const erasure = erasing.json<Record<string, string>>();
  const source = await make('/v1/sources', { name: 'shop', scheme: 'hookline' });
  const endpoint = await make('/v1/endpoints', { url: receiver.url(name), retry: { max_attempts: 1 } });
  const key = await make('/v1/api-keys', { name: 'ci', scopes: ['admin'] });
  const session = await make('/v1/sessions', { scopes: ['read'] });
  const link = await make('/v1/portal-links', { capabilities: ['view'] });
  // The same to both, and yet each its own.
  const event = await make('/v1/events', { type: 'order.paid', payload: { of: name }, event_id: 'ord_1' });
  await make(`/v1/events/${id(event)}/replay`, { endpoint_id: id(endpoint) });
  const deadLetter = await find('its delivery has died', '/v1/dead-letters', ([first]) => first?.['id']);
  const replay = await make('/v1/dead-letters/replay', { ids: [deadLetter] });
  await find('the replay has died', '/v1/dead-letters', ({ length }) => (length === 2 ? true : undefined));
  const delivery = await find('its deliveries are known', `/v1/events/${id(event)}/deliveries`, ([first]) => first);
  await waitUntil('the erasure is completed', async () => {
    const seen = await ask({ path: `/v1/erasures/${id(erasure)}`, tenant: name });
    return seen.json<{ status: string }>().status === 'completed';
  });
  const shown = (await ask({ path: `/v1/events/${id(event)}`, tenant: name })).json<Record<string, string>>();
  return {
    name,
    key: key['key'] ?? '',
    receiptId: shown['receipt_id'] ?? '',
    ids: {
      sources: id(source),
      endpoints: id(endpoint),
      events: id(event),
      deliveries: id(delivery),
      'dead-letters': deadLetter,
      replays: id(replay),
      'api-keys': id(key),
      sessions: id(session),
      'portal-links': id(link),
      erasures: id(erasure),
    },
  };
}

/** Every row of a tenant. */
async function rowsOf(tenant: string): Promise<Record<string, unknown>> {
  const tables = await postgres.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'tenant' ORDER BY 1`,
  );
  const rows: Record<string, unknown> = {};
  for (const { name } of tables) {
    const [found] = await postgres.query<{ all: unknown }>(
      `SELECT json_agg(t ORDER BY t::text) AS all FROM ${name} t WHERE tenant = $1`,
      [tenant],
    );
    rows[name] = found?.all ?? [];
  }
  return rows;
}

/** The content of an answer, but for the time at which it was given, and the id that was asked for. */
function told({ status, headers, text }: Answer, id: string): unknown {
  return { status, headers: { ...headers, date: '', ratelimit: '' }, text: text.replaceAll(id, '') };
}

const withBody = (method: string, body: object | undefined): object | undefined =>
  ['POST', 'PATCH', 'PUT'].includes(method) ? (body ?? {}) : undefined;

describe('with one of everything each', () => {
  let mine: Tenant;
  let theirs: Tenant;
  let before: Record<string, unknown>;

  beforeAll(async () => {
    await pipeline.explain(async () => {
      [mine, theirs] = await Promise.all([settle('mine'), settle('theirs')]);
      // Work in flight comes to rest.
      let last = '';
      await waitUntil(
        'nothing of theirs changes any more',
        async () => {
          const seen = JSON.stringify(await rowsOf('theirs'));
          const same = seen === last;
          last = seen;
          return same;
        },
        { everyMs: 1_500 },
      );
      before = await rowsOf('theirs');
    });
  });

  afterEach(async () => {
    expect(await rowsOf('theirs')).toEqual(before);
  });

  test('each id is its own', () => {
    for (const collection of Object.keys(prefixes)) {
      expect(mine.ids[collection]).toMatch(new RegExp(`^${prefixes[collection]}_`));
      expect(mine.ids[collection]).not.toBe(theirs.ids[collection]);
    }
    for (const table of [
      'sources',
      'endpoints',
      'events',
      'deliveries',
      'dead_letters',
      'replays',
      'api_keys',
      'attempts',
    ])
      expect(before[table]).not.toEqual([]);
  });

  test('another’s id is as one that never was, for every method of every path', () =>
    pipeline.explain(async () => {
      const paths = Map.groupBy(
        routes.filter(({ url, collection }) => url.includes(':id') && collection in prefixes),
        ({ url }) => url,
      );
      expect(paths.size).toBeGreaterThanOrEqual(20);
      for (const [url, routesOfUrl] of paths) {
        const [{ collection } = { collection: '' }] = routesOfUrl;
        const allowed = new Set(routesOfUrl.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)));
        for (const method of methods) {
          const body = withBody(method, routesOfUrl.find((route) => route.method === method)?.body);
          const answerFor = async (id: string): Promise<unknown> =>
            told(await ask({ method, path: url.replace(':id', id), body, key: mine.key }), id);
          const foreign = await answerFor(theirs.ids[collection] ?? '');
          const never = await answerFor(createId(prefixes[collection] ?? 'evt', Date.now()));
          expect({ method, url, told: foreign }).toEqual({ method, url, told: never });
          expect({ method, url, told: foreign }).toMatchObject({ told: { status: allowed.has(method) ? 404 : 405 } });
        }
      }
    }));

  test('no list has anything of the other’s', () =>
    pipeline.explain(async () => {
      const lists = routes.filter(
        ({ method, url, collection }) =>
          method === 'GET' && !url.includes(':id') && collection in prefixes && url !== '/v1/events/search',
      );
      expect(lists.length).toBeGreaterThan(5);
      for (const { url, collection } of lists) {
        const { status, text } = await ask({ path: url, key: mine.key });
        expect([url, status]).toEqual([url, 200]);
        expect(text).toContain(mine.ids[collection]);
        for (const id of Object.values(theirs.ids)) expect(text).not.toContain(id);
        // The same with a cursor of the other tenant.
        if (url !== '/v1/events') {
          const beyond = await ask({ path: `${url}?cursor=${theirs.ids[collection]}`, key: mine.key });
          for (const id of Object.values(theirs.ids)) expect(beyond.text).not.toContain(id);
        }
      }
    }));

  test('audit, statistics, search and the credential are of one tenant', () =>
    pipeline.explain(async () => {
      for (const path of [
        '/v1/audit',
        '/v1/me',
        '/v1/limits',
        '/v1/stats?series=received&by=source&step=1h',
        '/v1/events/search?filter={"of":"mine"}',
      ]) {
        const { status, text } = await ask({ path, key: mine.key });
        expect([path, status]).toEqual([path, 200]);
        for (const id of ['theirs', ...Object.values(theirs.ids)]) expect([path, text]).not.toContain(id);
      }
      const audit = await ask({ path: '/v1/audit', key: mine.key });
      expect(audit.text).toContain(mine.ids['endpoints']);
      const found = await ask({ path: '/v1/events/search?filter={"of":"theirs"}', key: mine.key });
      expect(found.json()).toMatchObject({ matched: [], complete: true });
    }));

  test('what is the operator’s is refused, whichever tenant it is about', () =>
    pipeline.explain(async () => {
      const operators = routes.filter(({ collection }) => collection === 'tenants' || collection === 'system');
      expect(operators.length).toBeGreaterThan(3);
      for (const { method, url, body } of operators) {
        const answers = await Promise.all(
          ['mine', 'theirs', 'never-was'].map(async (id) => {
            const path = `${url.replace(':id', id)}${method === 'DELETE' ? `?confirm=${id}` : ''}`;
            return told(await ask({ method, path, body: withBody(method, body), key: mine.key }), id);
          }),
        );
        expect([method, url, answers[0]]).toMatchObject([method, url, { status: 403 }]);
        expect(answers).toEqual([answers[0], answers[0], answers[0]]);
      }
    }));

  test('no filter, and no id within a request, leads to the other’s', () =>
    pipeline.explain(async () => {
      const { sources, endpoints, events, 'dead-letters': deadLetter = '' } = theirs.ids;
      for (const path of [
        `/v1/events?source_id=${sources}`,
        `/v1/events?receipt_id=${theirs.receiptId}`,
        `/v1/dead-letters?endpoint_id=${endpoints}`,
        `/v1/dead-letters?source_id=${sources}`,
        `/v1/events?order=desc&endpoint_id=${endpoints}`,
        `/v1/events?order=desc&source_id=${sources}`,
        `/v1/deliveries?endpoint_id=${endpoints}`,
      ]) {
        const answer = await ask({ path, key: mine.key });
        // Every poller hears of what was erased, whatever its filter.
        const found = answer.json<Record<string, string>[]>().filter(({ status }) => status !== 'erased');
        expect([path, answer.status, found]).toEqual([path, 200, []]);
        expect(answer.text).not.toContain(theirs.ids['events']);
      }
      const post = (path: string, body: object): Promise<Answer> => ask({ method: 'POST', path, body, key: mine.key });
      for (const filter of [{ ids: [deadLetter] }, { endpoint_id: endpoints }, { ids: [deadLetter], dry_run: true }]) {
        const { status, text } = await post('/v1/dead-letters/replay', filter);
        expect([status, JSON.parse(text)]).toMatchObject([202, { matched: 0 }]);
      }
      for (const [path, filter] of [
        ['/v1/events/replay', { source_id: sources }],
        ['/v1/events/replay', { endpoint_id: endpoints }],
        ['/v1/deliveries/retry', { endpoint_id: endpoints }],
        ['/v1/deliveries/cancel', { endpoint_id: endpoints }],
        ['/v1/erasures', { source_id: sources }],
      ] as const) {
        const { status, text } = await post(path, { filter, dry_run: true });
        expect([path, status, JSON.parse(text)]).toMatchObject([path, 202, { matched: 0 }]);
      }
      const own = `/v1/events/${mine.ids['events']}/replay`;
      const never = createId('ep', Date.now());
      const refused = await post(own, { endpoint_id: endpoints });
      expect(refused.status).toBe(400);
      expect(refused.text).toBe((await post(own, { endpoint_id: never })).text);
      const filtered = await post('/v1/endpoints', { url: receiver.url('x'), source_ids: [sources] });
      expect(filtered.status).toBe(400);
      const again = await post('/v1/events', { type: 'order.paid', payload: 1, event_id: 'ord_1' });
      expect(again.json()).toEqual({ id: mine.ids['events'] });
      expect(again.text).not.toContain(events);
    }));

  test('a key that names the other tenant is refused, whatever it asks', () =>
    pipeline.explain(async () => {
      // The code of a session or of a link is its own credential.
      for (const { method, url, collection, body } of routes.filter(({ url: path }) => !path.endsWith('/redeem')))
        for (const tenant of ['theirs', 'never-was']) {
          const path = url.replace(':id', theirs.ids[collection] ?? '');
          const answer = await ask({ method, path, body: withBody(method, body), key: mine.key, tenant });
          expect([method, url, answer.status, answer.json<{ code: string }>().code]).toEqual([
            method,
            url,
            403,
            'forbidden',
          ]);
        }
    }));
});
