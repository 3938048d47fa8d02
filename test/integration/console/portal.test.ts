/** The portal before the real API: what a customer sees, may do, and is not told. */
import type { Transport } from '#client';
import { networksOf } from '#lib/net';
import { systemClock } from '#lib/runtime';
import { buildTestConsole } from '../../support/console/build-test-console.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Page, readPage } from '../../support/console/read-page.ts';
import { createThings, type Things } from '../api/openapi-world.ts';
import { allCapabilities, openPortalWorld, type PortalWorld } from '../api/portal-world.ts';
import { plainSettings } from '../../support/console/plain-settings.ts';

let world: PortalWorld;
let portal: ReturnType<typeof buildTestConsole>;
let mine: Things;
let theirs: Things;
beforeAll(async () => {
  world = await openPortalWorld();
  mine = await createThings(world.api, 'mine');
  theirs = await createThings(world.api, 'theirs');
  for (const visibility of ['public', 'portal', 'internal'])
    await make('/v1/event-types', { name: `shop.${visibility}`, visibility, schema: { type: 'object' } });
  await make('/v1/event-types/shop.portal/rename', { to: 'shop.today' });
  portal = buildTestConsole({
    transport: asCustomer,
    settings: { ...plainSettings, faces: ['console', 'portal'] },
    clock: systemClock,
    trustedProxies: networksOf(['127.0.0.0/8']),
  });
});
afterAll(async () => {
  await portal.app.close();
  await world.close();
});

const asCustomer: Transport = async ({ method, path, headers, body }) => {
  const answer = await world.customers.ask({ method, path, headers, ...(body !== undefined && { body }) });
  return { status: answer.status, bytes: answer.bytes, header: (name) => answer.headers[name] };
};

async function make(path: string, body: object): Promise<void> {
  const answer = await world.api.ask({ method: 'POST', path, body, tenant: 'mine' });
  expect([path, answer.status < 300, answer.text]).toEqual([path, true, answer.text]);
}

interface Seen {
  status: number;
  text: string;
  location: string | undefined;
  page: Page;
}

let addresses = 0;
/** A browser with the cookies that opening the link set. */
async function open(capabilities: readonly string[], tenant = 'mine') {
  const { code } = await world.createLink(tenant, { capabilities, return_url: 'https://app.test/back' });
  // Each from an address of its own: ten a minute may try from one.
  const opened = await portal.post(`/p/${code}`, {}, undefined, { 'x-forwarded-for': `192.0.2.${(addresses += 1)}` });
  expect([opened.statusCode, opened.headers.location]).toEqual([303, '/portal']);
  const cookie = [opened.headers['set-cookie']]
    .flat()
    .map((one) => String(one).split(';', 1)[0])
    .join('; ');
  const seen = (answer: Awaited<ReturnType<typeof portal.get>>): Seen => ({
    status: answer.statusCode,
    text: answer.body,
    location: answer.headers.location,
    page: readPage(answer.body),
  });
  return {
    code,
    get: async (path: string) => seen(await portal.get(path, undefined, { cookie })),
    post: async (path: string, fields: Record<string, string> = {}) =>
      seen(await portal.post(path, { idempotency_key: `key-${Math.random()}`, ...fields }, undefined, { cookie })),
  };
}
type Customer = Awaited<ReturnType<typeof open>>;

/** All that can be reached by links, without their parameters. */
async function crawl(customer: Customer): Promise<Map<string, Seen>> {
  const found = new Map<string, Seen>();
  const waiting = ['/portal'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const key = path.split('?', 1)[0] ?? '';
    if (found.has(key)) continue;
    const seen = await customer.get(path);
    found.set(key, seen);
    for (const link of seen.page.links)
      if (link.startsWith('/')) waiting.push(link.split('#', 1)[0] ?? '');
      else expect(link === '#main' || link.startsWith('#') || link === 'https://app.test/back').toBe(true);
  }
  return found;
}

const anyText = expect.any(String) as string;

test('a link tells what it is, is not used up by being looked at, and opens once', async () => {
  const { code } = await world.createLink('mine');
  for (let times = 0; times < 3; times += 1) {
    const answer = await portal.get(`/p/${code}`);
    expect([answer.statusCode, answer.headers['x-robots-tag']]).toEqual([200, 'noindex']);
    expect(readPage(answer.body).forms.map(({ method, action }) => [method, action])).toContainEqual([
      'POST',
      `/p/${code}`,
    ]);
  }
  expect((await portal.send({ method: 'HEAD', url: `/p/${code}` })).statusCode).toBe(200);
  const other = await portal.post(`/p/${code}`, {}, undefined, { 'sec-fetch-site': 'cross-site' });
  expect(other.statusCode).toBe(403);
  expect((await portal.post(`/p/${code}`, {})).statusCode).toBe(303);
  for (const again of [await portal.get(`/p/${code}`), await portal.post(`/p/${code}`, {})]) {
    expect([again.statusCode, again.headers.location, again.headers['set-cookie']]).toEqual([
      410,
      undefined,
      undefined,
    ]);
    expect(again.body).toContain('This link was used already');
  }
  const never = code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect((await portal.get(`/p/${never}`)).statusCode).toBe(404);
  expect((await portal.get('/p/x')).statusCode).toBe(404);
});

test.each([
  ['all capabilities', allCapabilities],
  ['view alone', ['view']],
])(
  'with %s every link leads to a page that is there, and no page says what the operator alone knows',
  async (_what, capabilities) => {
    const found = await crawl(await open(capabilities));
    const wrong = [...found]
      // The preview of a replay of nothing.
      .filter(([path, { status }]) => status !== 200 && !(status === 404 && path === '/portal/replays/new'))
      .map(([path, { status }]) => `${status} ${path}`);
    expect(wrong).toEqual([]);
    for (const path of ['/portal/endpoints', '/portal/deliveries', '/portal/events', '/portal/event-types'])
      expect([...found.keys()]).toContain(path);
    expect([...found.keys()]).toContain(`/portal/endpoints/${mine.endpoint}`);
    expect([...found.keys()]).toContain(`/portal/events/${mine.event}`);
    for (const [path, { text }] of found) {
      for (const secret of [
        ...['192.0.2.7', 'X-Api-Key', 'proxy.example', 'all set', 'HOOKLINE_', '/dead-letters'],
        ...['shop.internal', 'hookline dlq', '/t/mine', 'GET /v1/'],
      ])
        expect([path, secret, text.includes(secret)]).toEqual([path, secret, false]);
      for (const id of Object.values(theirs)) expect([path, text.includes(String(id))]).toEqual([path, false]);
    }
  },
);

/** The actions that change something: the page that has it, and what the API answers to it. */
const actions: readonly { capability: string; path: () => string; fields?: Record<string, string>; then: number }[] = [
  { capability: 'endpoints', path: () => '/portal/endpoints/new', fields: { url: 'https://a.example/' }, then: 201 },
  ...['pause', 'resume', 'disable', 'enable'].map((what) => ({
    capability: 'endpoints',
    path: () => `/portal/endpoints/${mine.endpoint}/${what}`,
    then: 303,
  })),
  { capability: 'endpoints', path: () => `/portal/endpoints/${mine.endpoint}/edit`, then: 412 },
  { capability: 'secrets', path: () => `/portal/endpoints/${mine.endpoint}/rotate`, then: 201 },
  {
    capability: 'replay',
    path: () => `/portal/endpoints/${mine.endpoint}/recover`,
    fields: { since: '2020-01-01T00:00:00Z' },
    then: 303,
  },
  { capability: 'replay', path: () => `/portal/events/${mine.event}/replay`, then: 303 },
  { capability: 'replay', path: () => `/portal/deliveries/${mine.waiting}/retry`, then: 303 },
];

test.each(allCapabilities.slice(1).map((capability) => [capability]))(
  'a link with %s allows what needs it, and nothing else',
  async (granted) => {
    const customer = await open(['view', granted]);
    for (const { capability, path, fields, then } of actions) {
      const { status, location } = await customer.post(path(), fields);
      expect([path(), status, location?.startsWith('/portal') ?? true]).toEqual([
        path(),
        capability === granted ? then : 403,
        true,
      ]);
    }
    expect((await customer.post('/portal/deliveries/x/cancel')).status).toBe(404);
    expect((await customer.get('/portal/sources')).status).toBe(404);
    expect((await customer.get('/portal/dead-letters')).status).toBe(404);
  },
);

test('a customer sets URL, types, filter and description, and by no form anything else', async () => {
  const customer = await open(allCapabilities);
  const form = (await customer.get('/portal/endpoints/new')).page.forms.find(({ action }) => action.endsWith('/new'));
  expect([...(form?.names ?? [])].sort()).toEqual(['description', 'event_types', 'filter', 'idempotency_key', 'url']);
  const given = { url: 'https://mine.example/', description: 'Mine', event_types: 'a.b', filter: '{"n":1}' };
  const created = await customer.post('/portal/endpoints/new', given);
  expect(created.status).toBe(201);
  expect(created.text).toMatch(/whsec_/);
  const [, id = ''] = /\/portal\/endpoints\/(ep_\w+)/.exec(created.text) ?? [];
  const read = await world.api.ask({ path: `/v1/endpoints/${id}`, tenant: 'mine' });
  expect(read.json()).toMatchObject({ ...given, event_types: ['a.b'], filter: { n: 1 }, url_by_portal: true });

  const refused = await customer.post('/portal/endpoints/new', { ...given, headers: 'X-A: b' });
  expect([refused.status, refused.text.includes('can’t be set in the portal')]).toEqual([400, true]);
  const inside = await customer.post('/portal/endpoints/new', { url: 'http://127.0.0.1/' });
  expect([inside.status, inside.text.includes('HOOKLINE_')]).toEqual([400, false]);

  const edit = `/portal/endpoints/${id}/edit`;
  const shown = (await customer.get(edit)).page.forms.find(({ action }) => action.endsWith('/edit'));
  expect([...(shown?.names ?? [])].sort()).toEqual([
    ...['description', 'etag', 'event_types', 'filter', 'idempotency_key', 'opened', 'url'],
  ]);
  const fields = Object.fromEntries(shown?.fields ?? []);
  const saved = await customer.post(edit, { ...fields, description: 'Ours', idempotency_key: 'key-of-an-edit' });
  expect([saved.status, saved.location]).toEqual([303, `/portal/endpoints/${id}`]);
  const after = await world.api.ask({ path: `/v1/endpoints/${id}`, tenant: 'mine' });
  expect(after.json()).toMatchObject({ ...read.json<object>(), description: 'Ours', effective_at: anyText });
});

test('what the operator set on an endpoint stays when a customer edits it', async () => {
  const customer = await open(allCapabilities);
  const before = await world.api.ask({ path: `/v1/endpoints/${mine.endpoint}`, tenant: 'mine' });
  const edit = `/portal/endpoints/${mine.endpoint}/edit`;
  const shown = (await customer.get(edit)).page.forms.find(({ action }) => action.endsWith('/edit'));
  const fields = Object.fromEntries(shown?.fields ?? []);
  const saved = await customer.post(edit, { ...fields, description: 'Seen', idempotency_key: 'key-of-another-edit' });
  expect([saved.status, saved.text]).toEqual([303, '']);
  const after = await world.api.ask({ path: `/v1/endpoints/${mine.endpoint}`, tenant: 'mine' });
  expect(after.json()).toEqual({ ...before.json<object>(), description: 'Seen', effective_at: anyText });
});

test('another tenant’s things are as those that never were', async () => {
  const customer = await open(allCapabilities);
  const found = await crawl(customer);
  const withId = [...found.keys()].filter((path) => path.includes(mine.endpoint) || path.includes(mine.event));
  expect(withId.length).toBeGreaterThan(5);
  for (const path of withId) {
    const of = (endpoint: string, event: string) =>
      customer.get(path.replace(mine.endpoint, endpoint).replace(mine.event, event));
    const [foreign, never] = [
      await of(theirs.endpoint, theirs.event),
      await of(`ep_${'0'.repeat(26)}`, `evt_${'0'.repeat(26)}`),
    ];
    expect([path, foreign.status, foreign.text]).toEqual([path, 404, never.text]);
  }
});

test('former names of event types lead to today’s, and internal types are none', async () => {
  const customer = await open(['view']);
  expect(await customer.get('/portal/event-types/shop.portal')).toMatchObject({
    status: 303,
    location: '/portal/event-types/shop.today',
  });
  expect((await customer.get('/portal/event-types/shop.today')).status).toBe(200);
  expect((await customer.get('/portal/event-types/shop.today/v/1')).status).toBe(200);
  expect((await customer.get('/portal/event-types/shop.today/v/2')).status).toBe(404);
  expect((await customer.get('/portal/event-types/shop.portal/v/1')).location).toBe(
    '/portal/event-types/shop.today/v/1',
  );
  expect((await customer.get('/portal/event-types/shop.portal/v/2')).status).toBe(404);
  expect((await customer.get('/portal/event-types/shop.internal')).status).toBe(404);
  for (const name of ['orders/create', 'Push Hook'])
    await make('/v1/event-types', { name, visibility: 'portal', schema: { type: 'object' } });
  const { links } = (await customer.get('/portal/event-types')).page;
  for (const address of ['/portal/event-types/-?name=orders%2Fcreate', '/portal/event-types/Push%20Hook']) {
    expect(links).toContain(address);
    const shown = await customer.get(address);
    expect([address, shown.status]).toEqual([address, 200]);
    const version = shown.page.links.find((href) => href.includes('/v/1')) ?? '';
    expect((await customer.get(version)).status).toBe(200);
  }
  expect((await customer.get('/portal/event-types/orders%2Fcreate')).status).toBe(200);
  expect((await customer.get('/portal/event-types/-')).status).toBe(404);
});

test('who leaves is signed out at the API, and told the way back', async () => {
  const customer = await open(['view']);
  const left = await customer.post('/portal/session/end');
  expect([left.status, left.location]).toEqual([303, '/portal']);
  // The API keeps a session in memory for five seconds at most.
  const isOver = async (): Promise<boolean> => (await customer.get('/portal/endpoints')).status === 401;
  await waitUntil('the session is over', isOver, { timeoutMs: 20_000, everyMs: 200 });
  const over = await customer.get('/portal/endpoints');
  expect([over.status, over.page.headings]).toEqual([401, ['You are not signed in here']]);
  expect(over.page.links).toContain('https://app.test/back');
  expect(over.page.forms.filter(({ action }) => action !== '/theme')).toEqual([]);
});

test('an event that was erased is a 410 that says so, as are the pages below it', async () => {
  const customer = await open(allCapabilities);
  const published = await world.api.ask({
    method: 'POST',
    path: '/v1/events',
    tenant: 'mine',
    body: { type: 'order.paid', payload: {} },
  });
  const path = `/events/${published.json<{ id: string }>().id}`;
  expect((await customer.get(`/portal${path}`)).status).toBe(200);
  expect((await world.api.ask({ method: 'DELETE', path: `/v1${path}`, tenant: 'mine' })).status).toBe(202);
  expect((await world.api.ask({ path: `/v1${path}`, tenant: 'mine' })).json()).toMatchObject({ status: 'erased' });
  for (const below of ['', '/replay', '/payload']) {
    const { status, page } = await customer.get(`/portal${path}${below}`);
    expect([below, status, page.text.includes('event was erased')]).toEqual([below, 410, true]);
  }
});
