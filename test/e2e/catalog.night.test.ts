import { startTcpProxy, type TcpProxy } from '../faults/network/tcp-proxy.ts';
import { type ApiCaller, createApiCaller } from '../support/console/api-caller.ts';
import { type ConsoleClient, createConsoleClient, type PageAnswer } from '../support/console/console-client.ts';
import { createDatabase } from '../support/servers.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type OwnPipeline, startOwnPipeline } from './own-pipeline.ts';

/** The catalog over a real API, whose Postgres can be cut off. */
const tenant = 'shop';
const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', description: 'The id of the order' }, total: { type: 'number' } },
};
const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

let pipeline: OwnPipeline;
let postgresLink: TcpProxy;
let api: ApiCaller;
let reader: ConsoleClient;

beforeAll(async () => {
  const database = new URL(await createDatabase());
  postgresLink = await startTcpProxy({ host: database.hostname, port: Number(database.port) }, Math.random);
  database.host = `127.0.0.1:${postgresLink.port}`;
  pipeline = await startOwnPipeline({
    services: ['api', 'console'],
    databaseUrl: database.href,
    env: { HOOKLINE_CATALOG_TENANT: tenant },
  });
  api = createApiCaller(pipeline.stack.apiUrl, pipeline.stack.adminKey, tenant);
  reader = createConsoleClient(pipeline.consoleUrl('console'));
});
afterAll(async () => {
  await pipeline?.close();
  await postgresLink?.close();
});

const create = (name: string, more: object = {}): Promise<unknown> =>
  api.make('POST', '/event-types', { name, visibility: 'public', description: words(100), ...more });
const act = (name: string, action: string, body: object = {}): Promise<unknown> =>
  api.make('POST', `/event-types/${name}/${action}`, body);
const statusAt = async (path: string): Promise<[string, number, string | undefined]> => {
  const { status, headers } = await reader.get(path);
  return [path, status, headers['location']];
};
const canonicalOf = ({ text }: PageAnswer): string =>
  /rel="canonical" href="https?:\/\/[^/]+([^"]*)"/.exec(text)?.[1] ?? '';
const sitemap = async (): Promise<string[]> =>
  [...(await reader.get('/sitemap.xml')).text.matchAll(/<loc>https?:\/\/[^/]+([^<]*)<\/loc>/g)].map(
    ([, path = '']) => path,
  );

test('before there is a public type, there is no catalog', async () => {
  await create('internal.thing', { visibility: 'internal' });
  expect((await statusAt('/catalog'))[1]).toBe(404);
  expect((await statusAt('/catalog/internal.thing'))[1]).toBe(404);
  expect(await sitemap()).toEqual([]);
});

test('a type is shown with its schema and example, and each of its versions', async () => {
  await create('order.paid', { schema, example: { id: 'ord_1', total: 12.5 } });
  await act('order.paid', 'versions', { schema: { ...schema, description: 'Of a shop' }, example: { id: 'ord_2' } });
  const page = await reader.get('/catalog/order.paid');
  expect([page.status, page.page.title, page.page.headings]).toEqual([200, 'order.paid · Hookline', ['order.paid']]);
  expect(page.page.text).toContain('The id of the order');
  expect(JSON.parse((await reader.get('/catalog/order.paid/example.json')).text)).toEqual({ id: 'ord_2' });
  expect(JSON.parse((await reader.get('/catalog/order.paid/schema.json')).text)).toMatchObject({
    description: 'Of a shop',
  });
  expect((await reader.get('/catalog/order.paid/v/1')).page.text).toContain('ord_1');
  expect((await statusAt('/catalog/order.paid/v/3'))[1]).toBe(404);
  const head = await reader.head('/catalog/order.paid');
  expect([head.status, head.text]).toEqual([200, '']);
});

test('a name that was changed twice is one redirect, and is gone with its type', async () => {
  await create('a', { schema });
  await act('a', 'rename', { to: 'b' });
  await act('b', 'rename', { to: 'c' });
  for (const [path, to] of [
    ['/catalog/a', '/catalog/c'],
    ['/catalog/a/', '/catalog/c'],
    ['/catalog/b/v/1', '/catalog/c/v/1'],
    ['/catalog/a/schema.json', '/catalog/c/schema.json'],
  ] as const) {
    expect(await statusAt(path)).toEqual([path, 301, to]);
    expect((await statusAt(to))[1]).toBe(200);
  }
  await api.make('DELETE', '/event-types/c');
  for (const name of ['a', 'b', 'c'])
    for (const below of ['', '/', '/v/1', '/schema.json'])
      expect(await statusAt(`/catalog/${name}${below}`)).toEqual([`/catalog/${name}${below}`, 410, undefined]);
});

test('a type of 99 words is not indexed, one of 100 is', async () => {
  await create('thin.one', { description: words(99) });
  await create('full.one', { description: words(100) });
  const [thin, full] = [await reader.get('/catalog/thin.one'), await reader.get('/catalog/full.one')];
  expect([thin.headers['x-robots-tag'], thin.text.includes('content="noindex"')]).toEqual(['noindex', true]);
  expect([full.headers['x-robots-tag'], full.text.includes('content="noindex"')]).toEqual([undefined, false]);
  const paths = await sitemap();
  expect([paths.includes('/catalog/thin.one'), paths.includes('/catalog/full.one')]).toEqual([false, true]);
});

test('a paused type has its text as it was', async () => {
  const withoutBanner = (text: string): string => text.replace(/<aside class="[^"]*banner".*?<\/aside>/gs, '');
  const before = await reader.get('/catalog/full.one');
  await act('full.one', 'pause', { reason: 'We move house.' });
  const paused = await reader.get('/catalog/full.one');
  expect([paused.status, withoutBanner(paused.text)]).toEqual([200, withoutBanner(before.text)]);
  expect(paused.page.text).toContain('We move house.');
  expect(await sitemap()).toContain('/catalog/full.one');
});

test('all that the catalog and the sitemap lead to is there, and is its own canonical page', async () => {
  await create('shop.old', { description: `${words(100)} Like [[full.one]].` });
  await create('shop.linking', { description: `${words(100)} See [[shop.old]] and [[thin.one]].` });
  await act('shop.old', 'rename', { to: 'shop.new' });
  await act('full.one', 'rename', { to: 'full.two' });
  await api.make('DELETE', '/event-types/thin.one');
  await create('shop.merged');
  await act('shop.merged', 'merge', { into: 'shop.new', reason: 'The same' });
  const linking = await reader.get('/catalog/shop.linking');
  expect(linking.page.links).toContain('/catalog/shop.new');
  expect(linking.page.text).toContain('thin.one (retired)');
  const paths = await sitemap();
  const toSee = ['/catalog', ...paths];
  const seen = new Set<string>();
  for (let path = toSee.pop(); path !== undefined; path = toSee.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const answer = await reader.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    if (!String(answer.headers['content-type']).startsWith('text/html')) continue;
    expect([path, canonicalOf(answer)]).toEqual([path, path.replace(/\/v\/\d+$/, '')]);
    toSee.push(...answer.page.links.filter((link) => link.startsWith('/catalog')));
  }
  expect([...seen].filter((path) => /thin\.one|shop\.old|shop\.merged|full\.one/.test(path))).toEqual([]);
  expect(seen.size).toBeGreaterThan(12);
  expect(paths).toEqual(expect.arrayContaining(['/catalog', '/catalog/shop.new', '/catalog/full.two']));
  expect((await reader.get('/robots.txt')).text).not.toMatch(/^Disallow: *\S/m);
});

test('while Postgres is away known pages go on with their age, and none that is not known is a 404', async () => {
  const known = ['/catalog/order.paid', '/catalog', '/sitemap.xml'];
  for (const path of known) expect((await statusAt(path))[1]).toBe(200);
  await create('never.shown');
  await postgresLink.set({ kind: 'refuses' });
  try {
    for (const path of known) {
      const answer = await reader.get(path);
      expect([path, answer.status, Number(answer.headers['age']) >= 0]).toEqual([path, 200, true]);
    }
    for (const path of ['/catalog/never.shown', '/catalog/never.was', '/catalog/never.was/schema.json']) {
      const answer = await reader.get(path);
      expect([path, answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([path, 503, true]);
    }
    expect((await statusAt('/catalog/verify/go'))[1]).toBe(200);
    expect((await statusAt('/nowhere'))[1]).toBe(404);
  } finally {
    await postgresLink.set(undefined);
  }
  await waitUntil('it is back', async () => (await statusAt('/catalog/never.shown'))[1] === 200);
  expect((await statusAt('/catalog/never.was'))[1]).toBe(404);
  expect((await reader.get('/catalog/order.paid')).headers['age']).toBeUndefined();
});

test('what is gone stays gone after the services were started again', async () => {
  for (const name of ['api', 'console'] as const) await pipeline.restartService(name);
  for (const name of ['a', 'b', 'c', 'thin.one']) expect((await statusAt(`/catalog/${name}`))[1]).toBe(410);
  expect((await statusAt('/catalog/shop.old'))[1]).toBe(301);
});
