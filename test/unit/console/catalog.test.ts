import fc from 'fast-check';
import { catalogPages } from '../../../services/console/catalog/pages.ts';
import { buildTestCatalog } from '../../support/console/build-test-catalog.ts';
import { wordsOf } from '../../support/console/fake-event-types.ts';
import { plainSettings } from '../../support/console/plain-settings.ts';
import { readPage } from '../../support/console/read-page.ts';

type TestCatalog = ReturnType<typeof buildTestCatalog>;
type Answer = Awaited<ReturnType<TestCatalog['get']>>;

const origin = 'http://127.0.0.1:8082';
const schema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', description: 'Of the invoice' },
    lines: { type: 'array', items: { type: 'object' } },
  },
};

function withTypes(): TestCatalog {
  const catalog = buildTestCatalog();
  const { types } = catalog;
  types.create('invoice.paid', {
    description: `An invoice was paid. ${wordsOf(100)}`,
    words: 104,
    category: 'billing',
  });
  types.publish('invoice.paid', { schema, example: { id: 'in_1' } });
  types.publish('invoice.paid', {
    schema,
    example: { id: 'in_2' },
    differences: [{ field: 'lines', change: 'added', breaking: false }],
  });
  types.create('invoice.sent', { description: 'An invoice was sent.', words: 4 });
  types.create('secret.thing', { visibility: 'internal', description: 'A secret' });
  types.create('partner.thing', { visibility: 'portal' });
  return catalog;
}

const statusAndPlace = ({ statusCode, headers }: Answer) => [statusCode, headers['location']];
const linksOf = ({ body }: Answer): readonly string[] => readPage(body).links.filter((href) => href.startsWith('/'));
const isNoindex = ({ body, headers }: Answer): [boolean, boolean] => [
  body.includes('<meta name="robots" content="noindex">'),
  headers['x-robots-tag'] === 'noindex',
];
const canonicalOf = ({ body }: Answer): string | undefined => /<link rel="canonical" href="([^"]*)">/.exec(body)?.[1];
const inSitemap = async ({ get }: TestCatalog): Promise<string[]> =>
  [...(await get('/sitemap.xml')).body.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) =>
    address.replace(origin, ''),
  );

describe('a type', () => {
  test('is shown as it is described', async () => {
    const { get, api } = withTypes();
    const answer = await get('/catalog/invoice.paid');
    expect(answer.statusCode).toBe(200);
    const { title, headings, text } = readPage(answer.body);
    expect([title, headings]).toEqual(['invoice.paid · Hookline', ['invoice.paid']]);
    for (const shown of ['An invoice was paid.', 'billing', 'Of the invoice', 'in_2', 'Version 1'])
      expect(text).toContain(shown);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(api.calls.map(({ headers }) => [headers['authorization'], headers['hookline-tenant']])).toEqual([
      ['Bearer hk_of_the_catalog', 'acme'],
    ]);
  });

  test.each(['/catalog/invoice.paid', '/catalog/invoice.paid/v/1', '/catalog/invoice.paid/v/2'])(
    'is the canonical page of %s',
    async (url) => {
      expect(canonicalOf(await withTypes().get(url))).toBe(`${origin}/catalog/invoice.paid`);
    },
  );

  test('has its schema and example as documents of their own, with an ETag', async () => {
    const { get } = withTypes();
    for (const [url, value] of [
      ['/catalog/invoice.paid/schema.json', schema],
      ['/catalog/invoice.paid/example.json', { id: 'in_2' }],
    ] as const) {
      const answer = await get(url);
      expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([200, value]);
      expect(answer.headers['content-type']).toMatch(/^application\/(schema\+)?json/);
      const again = await get(url, undefined, { 'if-none-match': String(answer.headers['etag']) });
      expect([again.statusCode, again.body]).toEqual([304, '']);
    }
  });

  test('has its example as it was written, digit by digit', async () => {
    const { get, types, api } = withTypes();
    const view = {
      ...(JSON.parse(
        (
          (await api.transport({ method: 'GET', path: '/v1/event-types/invoice.paid', headers: {} })) as {
            bytes: Buffer;
          }
        ).bytes.toString(),
      ) as object),
    };
    const text = JSON.stringify(view).replace('"in_2"', '9007199254740993');
    api.on('GET /v1/event-types/invoice.paid', { body: Buffer.from(text) });
    expect((await get('/catalog/invoice.paid/example.json')).body).toContain('9007199254740993');
    expect((await get('/catalog/invoice.paid')).body).toContain('9007199254740993');
    expect(types.names()).toContain('invoice.paid');
  });

  test('without a schema says so, and has no documents', async () => {
    const { get } = withTypes();
    expect((await get('/catalog/invoice.sent')).body).toContain('Its payload is not described');
    const answer = await get('/catalog/invoice.sent/schema.json');
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/problem+json']);
  });
});

describe('what is no page', () => {
  test.each([
    '/catalog/never.was',
    '/catalog/never.was/v/1',
    '/catalog/never.was/schema.json',
    '/catalog/invoice.paid/v/3',
    '/catalog/invoice.paid/v/0',
    '/catalog/invoice.paid/v/01',
    '/catalog/invoice.paid/v/x',
    '/catalog/invoice.paid/v',
    '/catalog/invoice.paid/other',
    '/catalog/secret.thing',
    '/catalog/secret.thing/schema.json',
    '/catalog/partner.thing',
    '/catalog/groups/secret',
    '/catalog/groups/never',
    '/catalog/verify/cobol',
    '/catalog/verify/__proto__',
    '/catalog/search/more',
    '/catalog/never.was/',
    '/catalog?page=2',
    '/catalog?category=other',
    '/catalog/search?q=nothing-has-this',
    '/',
    '/t/acme',
    '/session',
  ])('%s is a 404, of GET and HEAD, that leads nowhere by itself', async (url) => {
    const { get, send } = withTypes();
    const answer = await get(url);
    expect(statusAndPlace(answer)).toEqual([404, undefined]);
    const head = await send({ method: 'HEAD', url });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      404,
      '',
      answer.headers['content-length'],
    ]);
    if (!url.endsWith('.json')) expect(readPage(answer.body).headings).toHaveLength(1);
    expect(answer.body).not.toMatch(/http-equiv/i);
  });

  test('a path that no type can have is judged before anything is asked', async () => {
    const { get, api } = withTypes();
    for (const url of [
      '/catalog/-',
      '/catalog/%20a',
      '/catalog/a%0Ab',
      '/catalog/a%2F..%2Fb',
      '/catalog/%2e%2e',
      '/catalog/-?name=..',
      '/catalog/-?name=-',
      '/catalog/-/schema.json?name=a*',
      `/catalog/${'x'.repeat(300)}`,
    ])
      expect([url, (await get(url)).statusCode]).toEqual([url, 404]);
    expect(api.calls).toEqual([]);
  });

  test('another method is a 405 that says which there are', async () => {
    const { send } = withTypes();
    for (const { path } of catalogPages) {
      const url = path
        .replace(':type', 'invoice.paid')
        .replace(':version', '1')
        .replace(':prefix', 'invoice')
        .replace(':language', 'go');
      const answer = await send({ method: 'POST', url });
      expect([url, answer.statusCode, answer.headers['allow']]).toEqual([url, 405, 'GET, HEAD']);
    }
  });

  test('no path has a wildcard', () => {
    expect(catalogPages.filter(({ path }) => path.includes('*'))).toEqual([]);
  });

  test('without a public type there is no catalog', async () => {
    const { get, types } = buildTestCatalog();
    types.create('secret.thing', { visibility: 'internal' });
    expect((await get('/catalog')).statusCode).toBe(404);
    expect((await get('/catalog/')).statusCode).toBe(404);
    expect((await get('/sitemap.xml')).statusCode).toBe(200);
  });
});

describe('a name as providers have it', () => {
  const names = ['orders/create', 'Push Hook', `it's 50% "new" & <b>?#`, '/event/Low_Ink__e', 'shop/order.paid'];
  function withNames(): TestCatalog {
    const catalog = buildTestCatalog();
    for (const name of names) {
      catalog.types.create(name, { description: wordsOf(100), words: 100 });
      catalog.types.publish(name, { schema, example: { id: name } });
      catalog.types.publish(name, { schema, example: { id: name } });
    }
    return catalog;
  }
  const unescaped = (href: string): string => href.replaceAll('&amp;', '&').replaceAll('&#39;', "'");

  test.each(names)('%s has its page, versions and documents, at one address', async (name) => {
    const catalog = withNames();
    const listed = linksOf(await catalog.get('/catalog')).map(unescaped);
    const inPath = `/catalog/${encodeURIComponent(name)}`;
    const address = listed.find((href) => [inPath, `/catalog/-?name=${encodeURIComponent(name)}`].includes(href)) ?? '';
    // As a proxy passes it on that decodes paths.
    const decoded = decodeURIComponent(address.split('?')[0] ?? '').split('/');
    expect([address, decoded.length]).toEqual([address, 3]);
    const answer = await catalog.get(address);
    expect([answer.statusCode, readPage(answer.body).headings[0]]).toEqual([200, name]);
    expect(unescaped(canonicalOf(answer) ?? '')).toBe(origin + address);
    const links = linksOf(answer)
      .map(unescaped)
      .filter((href) => href.includes('/v/') || href.includes('.json'));
    expect(links).toHaveLength(4);
    for (const link of links) expect([link, (await catalog.get(link)).statusCode]).toEqual([link, 200]);
    expect((await inSitemap(catalog)).map(unescaped)).toContain(address);
    const other = await catalog.get(inPath);
    expect([other.statusCode, unescaped(canonicalOf(other) ?? '')]).toEqual([200, origin + address]);
  });

  test('its command line is one for every shell', async () => {
    const { get } = withNames();
    const { body } = await get(`/catalog/-?name=${encodeURIComponent(names[2] ?? '')}`);
    expect(readPage(body).text).toContain(`-H 'Hookline-Event-Type: it'\\''s 50% "new" & <b>?#'`);
    expect(readPage((await get('/catalog/-?name=orders%2Fcreate')).body).text).toContain(
      `curl -s '${origin}/catalog/-/example.json?name=orders%2Fcreate'`,
    );
  });

  test('is linked from texts, in which other brackets stay as they are', async () => {
    const { get, types } = withNames();
    const links = Object.fromEntries(
      names.map((name) => [name, { target: name, status: 'active' as const, visibility: 'public' as const }]),
    );
    types.create('linking', { description: 'After [[Push Hook]] and [[orders/create]]: [[1, 2]].', links });
    const answer = await get('/catalog/linking');
    expect(linksOf(answer)).toEqual(
      expect.arrayContaining(['/catalog/Push%20Hook', '/catalog/-?name=orders%2Fcreate']),
    );
    expect(readPage(answer.body).text).toContain('[[1, 2]]');
  });

  test('a group may have a slash', async () => {
    const { get } = withNames();
    const group = linksOf(await get('/catalog')).find((href) => href.includes('/groups/')) ?? '';
    expect(group).toBe('/catalog/groups/-?name=shop%2Forder');
    expect((await get(group)).body).toContain('shop/order.paid');
  });

  test('a former name leads to the new one, with what is below it', async () => {
    const { get, types } = withNames();
    types.rename('orders/create', 'orders/created');
    expect(statusAndPlace(await get('/catalog/-?name=orders%2Fcreate'))).toEqual([
      301,
      '/catalog/-?name=orders%2Fcreated',
    ]);
    expect(statusAndPlace(await get('/catalog/-/v/1?name=orders%2Fcreate'))).toEqual([
      ...[301, '/catalog/-/v/1?name=orders%2Fcreated'],
    ]);
    expect(statusAndPlace(await get('/catalog/orders%2Fcreate/schema.json'))).toEqual([
      ...[301, '/catalog/-/schema.json?name=orders%2Fcreated'],
    ]);
    types.retire('orders/created');
    expect((await get('/catalog/-?name=orders%2Fcreate')).statusCode).toBe(410);
  });
});

describe('a name that has changed', () => {
  function renamedTwice(): TestCatalog {
    const catalog = buildTestCatalog();
    catalog.types.create('a', { description: 'First', words: 1 });
    catalog.types.publish('a', { schema });
    catalog.types.rename('a', 'b');
    catalog.types.rename('b', 'c');
    return catalog;
  }

  test.each([
    ['/catalog/a', '/catalog/c'],
    ['/catalog/a/', '/catalog/c'],
    ['/catalog/b', '/catalog/c'],
    ['/catalog/b/v/1', '/catalog/c/v/1'],
    ['/catalog/b/v/1/', '/catalog/c/v/1'],
    ['/catalog/a/schema.json', '/catalog/c/schema.json'],
    ['/catalog/c/', '/catalog/c'],
    ['/catalog/c/v/1/', '/catalog/c/v/1'],
    ['/catalog/', '/catalog'],
    ['/catalog/search/?q=c', '/catalog/search?q=c'],
  ])('%s is one redirect, for five minutes, to the page %s', async (url, to) => {
    const { get } = renamedTwice();
    const answer = await get(url);
    expect(statusAndPlace(answer)).toEqual([301, to]);
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    expect((await get(to)).statusCode).toBe(200);
  });

  test.each(['/catalog/a/v/2', '/catalog/a/v/2/', '/catalog/search/?q=nothing-has-this', '/catalog/never/'])(
    '%s leads to no page, and so is a 404',
    async (url) => {
      expect(statusAndPlace(await renamedTwice().get(url))).toEqual([404, undefined]);
    },
  );

  test('is gone with its type, and so is all below it', async () => {
    const { get, types } = renamedTwice();
    types.retire('c');
    for (const name of ['a', 'b', 'c'])
      for (const below of ['', '/', '/v/1', '/v/9', '/schema.json', '/example.json'])
        expect([name, below, ...statusAndPlace(await get(`/catalog/${name}${below}`))]).toEqual([
          name,
          below,
          410,
          undefined,
        ]);
  });

  test('takes its group with it: the page of the group is a 410, one that never was a 404', async () => {
    const { get, types } = buildTestCatalog();
    for (const name of ['left.a', 'moved.a', 'secret.a']) types.create(name);
    types.set('secret.a', { visibility: 'internal' });
    expect((await get('/catalog/groups/left')).statusCode).toBe(200);
    types.retire('left.a');
    types.rename('moved.a', 'today.a');
    types.retire('secret.a');
    for (const [prefix, status] of [
      ['left', 410],
      ['moved', 410],
      ['today', 200],
      ['never', 404],
      ['secret', 404],
    ])
      expect([prefix, (await get(`/catalog/groups/${prefix}`)).statusCode]).toEqual([prefix, status]);
  });

  test('that was merged leads to the page of the other type, also from its versions', async () => {
    const { get, types } = renamedTwice();
    types.create('d');
    types.merge('c', 'd');
    for (const url of ['/catalog/a', '/catalog/c', '/catalog/c/v/1'])
      expect(statusAndPlace(await get(url))).toEqual([301, '/catalog/d']);
    // It has no schema to lead to.
    expect((await get('/catalog/c/schema.json')).statusCode).toBe(404);
  });

  test('tells nothing of a type that is not public, living or retired', async () => {
    const { get, types } = renamedTwice();
    types.set('c', { visibility: 'internal' });
    for (const name of ['a', 'c']) expect(statusAndPlace(await get(`/catalog/${name}`))).toEqual([404, undefined]);
    types.retire('c');
    for (const name of ['a', 'c']) expect((await get(`/catalog/${name}`)).statusCode).toBe(404);
  });
});

describe('what search engines are told', () => {
  test.each([
    [99, true],
    [100, false],
  ])('a type of %i words is noindex, and not in the sitemap: %s', async (words, isThin) => {
    const catalog = buildTestCatalog();
    catalog.types.create('x', { description: wordsOf(words), words });
    const answer = await catalog.get('/catalog/x');
    expect(isNoindex(answer)).toEqual([isThin, isThin]);
    expect((await inSitemap(catalog)).includes('/catalog/x')).toBe(!isThin);
  });

  test('lists count as well, by what they say in words of the tenant', async () => {
    const catalog = buildTestCatalog();
    const { types, get } = catalog;
    types.create('order.paid', { description: wordsOf(40), words: 40 });
    types.create('order.sent', { description: wordsOf(20), words: 20 });
    for (const url of ['/catalog', '/catalog/groups/order', '/catalog/changes'])
      expect([url, isNoindex(await get(url))]).toEqual([url, [true, true]]);
    expect(await inSitemap(catalog)).toEqual([]);
    for (let more = 0; more < 4; more += 1) types.create(`order.${more}`, { description: wordsOf(20), words: 20 });
    for (const url of ['/catalog', '/catalog/groups/order'])
      expect([url, isNoindex(await get(url))]).toEqual([url, [false, false]]);
    expect(await inSitemap(catalog)).toEqual(['/catalog', '/catalog/groups/order']);
  });

  test.each(['/catalog/search?q=invoice', '/catalog?category=billing', '/catalog/verify/node'])(
    '%s is never indexed, and canonical is itself',
    async (url) => {
      const answer = await withTypes().get(url);
      expect([answer.statusCode, isNoindex(answer), canonicalOf(answer)]).toEqual([200, [true, true], origin + url]);
    },
  );

  test('robots.txt keeps nobody out, and names the sitemap', async () => {
    const { body, headers } = await withTypes().get('/robots.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toBe(`User-agent: *\nDisallow:\n\nSitemap: ${origin}/sitemap.xml\n`);
  });

  test('the sitemap has what is there at that moment, without what is gone', async () => {
    const catalog = withTypes();
    expect(await inSitemap(catalog)).toContain('/catalog/invoice.paid');
    catalog.types.rename('invoice.paid', 'invoice.settled');
    expect(await inSitemap(catalog)).toEqual(expect.arrayContaining(['/catalog/invoice.settled']));
    expect(await inSitemap(catalog)).not.toContain('/catalog/invoice.paid');
    catalog.types.retire('invoice.settled');
    expect((await inSitemap(catalog)).filter((path) => path.includes('settled'))).toEqual([]);
  });
});

test('a paused type has its text as it was, below a banner, and stays in the sitemap', async () => {
  const catalog = withTypes();
  const withoutBanner = (body: string): string => body.replace(/<aside class="[^"]*banner".*?<\/aside>/gs, '');
  const before = await catalog.get('/catalog/invoice.paid');
  catalog.types.set('invoice.paid', {
    status: 'paused',
    paused: { since: '2026-01-02T10:00:00.000000Z', reason: 'We move house.', until: '2026-02-01T00:00:00.000000Z' },
  });
  const paused = await catalog.get('/catalog/invoice.paid');
  expect([paused.statusCode, withoutBanner(paused.body)]).toEqual([200, withoutBanner(before.body)]);
  const { text } = readPage(paused.body);
  for (const shown of ['Paused', '2026-01-02', 'We move house.', '2026-02-01']) expect(text).toContain(shown);
  expect(await inSitemap(catalog)).toContain('/catalog/invoice.paid');
});

test('links in texts lead to the name of today; what is retired or not public is text', async () => {
  const { get, types } = buildTestCatalog();
  const link = (target: string | null, more = {}) =>
    ({ target, status: target === null ? 'retired' : 'active', visibility: 'public', ...more }) as never;
  types.create('a', {
    description: 'See [[old]], [[dead]], [[hidden]], [[unknown]] and <b>.',
    links: { old: link('new'), dead: link(null), hidden: link('hidden', { visibility: 'internal' }) },
    deprecation: { since: '2026-01-02T10:00:00.000000Z', reason: null, sunset_at: null, successor: 'gone' },
  });
  const answer = await get('/catalog/a');
  expect(linksOf(answer).filter((href) => href.startsWith('/catalog/') && !/verify|changes/.test(href))).toEqual([
    '/catalog/new',
  ]);
  expect(readPage(answer.body).text).toContain('dead (retired)');
  expect(answer.body).toContain('&lt;b&gt;');
  types.create('gone2');
  types.rename('gone2', 'successor');
  types.set('a', {
    deprecation: { since: '2026-01-02T10:00:00.000000Z', reason: null, sunset_at: null, successor: 'gone2' },
  });
  expect(linksOf(await get('/catalog/a'))).toContain('/catalog/successor');
});

describe('a search or filter', () => {
  test('without a result keeps what was searched for, and names what was perhaps meant', async () => {
    const { get } = withTypes();
    const answer = await get('/catalog/search?q=invoce.paid');
    expect(answer.statusCode).toBe(404);
    expect(readPage(answer.body).forms.map(({ fields }) => fields.get('q'))).toContain('invoce.paid');
    expect(linksOf(answer)).toContain('/catalog/invoice.paid');
    const filtered = await get('/catalog?status=paused&utm_source=x');
    expect(filtered.statusCode).toBe(404);
    expect(readPage(filtered.body).forms.map(({ fields }) => fields.get('status'))).toContain('paused');
  });

  test.each([
    '/catalog/search',
    '/catalog/search?q=',
    `/catalog/search?q=${'x'.repeat(201)}`,
    '/catalog?page=abc',
    '/catalog?page=0',
  ])('%s is a 400', async (url) => {
    expect((await withTypes().get(url)).statusCode).toBe(400);
  });

  test('finds names and texts, names first, and nothing that is not public', async () => {
    const { get, types } = withTypes();
    types.create('other', { description: 'See invoice.' });
    const answer = await get('/catalog/search?q=invoice');
    expect(answer.body.match(/href="\/catalog\/(invoice\.\w+|other)"/g)).toEqual([
      'href="/catalog/invoice.paid"',
      'href="/catalog/invoice.sent"',
      'href="/catalog/other"',
    ]);
    expect((await get('/catalog/search?q=secret')).statusCode).toBe(404);
  });
});

describe('while the API or its stores are away', () => {
  test.each(['stores', 'api'] as const)(
    'what was shown is shown, with its age, and nothing is a 404: %s',
    async (away) => {
      const { get, types, api, clock } = withTypes();
      types.create('old.name');
      types.rename('old.name', 'new.name');
      types.create('dead');
      types.retire('dead');
      const known = [
        '/catalog',
        '/catalog/invoice.paid',
        '/catalog/invoice.paid/schema.json',
        '/catalog/changes',
        '/sitemap.xml',
      ];
      const bodies = new Map<string, string>();
      for (const url of known) bodies.set(url, (await get(url)).body);
      for (const url of ['/catalog/old.name', '/catalog/dead', '/catalog/never.was']) await get(url);
      if (away === 'stores') types.away = true;
      else api.on('GET /v1/event-types*', 'away');
      await clock.advance(61_000);
      for (const url of known) {
        const answer = await get(url);
        expect([url, answer.statusCode, answer.headers['age'], answer.body]).toEqual([url, 200, '61', bodies.get(url)]);
      }
      expect(statusAndPlace(await get('/catalog/old.name'))).toEqual([301, '/catalog/new.name']);
      expect((await get('/catalog/dead')).statusCode).toBe(410);
      for (const url of ['/catalog/never.was', '/catalog/invoice.sent', '/catalog/invoice.sent/schema.json']) {
        const answer = await get(url);
        expect([url, answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([url, 503, true]);
      }
      // These ask nothing.
      for (const url of ['/catalog/verify/node', '/robots.txt']) expect((await get(url)).statusCode).toBe(200);
      expect((await get('/catalog/-')).statusCode).toBe(404);
      await clock.advance(86_400_000);
      expect((await get('/catalog/invoice.paid')).statusCode).toBe(503);
    },
  );

  test('once they are back, what is there has no age, and what is not is a 404', async () => {
    const { get, types } = withTypes();
    await get('/catalog/invoice.paid');
    types.away = true;
    await get('/catalog/invoice.paid');
    types.away = false;
    const answer = await get('/catalog/invoice.paid');
    expect([answer.statusCode, answer.headers['age']]).toEqual([200, undefined]);
    expect((await get('/catalog/never.was')).statusCode).toBe(404);
  });

  test.each([401, 403, 429])('a key that is refused by %i is no reason for a 404 either', async (status) => {
    const { get, api } = withTypes();
    await get('/catalog/invoice.paid');
    api.on('GET /v1/event-types*', { status, body: { status, code: 'x', title: 'x' } });
    expect((await get('/catalog/invoice.paid')).statusCode).toBe(200);
    expect((await get('/catalog/invoice.sent')).statusCode).toBe(503);
  });

  test('a 404 of somebody else than the API is not believed', async () => {
    const { get, api } = withTypes();
    await get('/catalog/invoice.paid');
    api.on('GET /v1/event-types*', { status: 404, body: Buffer.from('<html>') });
    expect((await get('/catalog/invoice.paid')).statusCode).toBe(200);
    expect((await get('/catalog/never.was')).statusCode).toBe(503);
  });
});

describe('whatever becomes of the types', () => {
  const command = fc.record({
    does: fc.constantFrom('create', 'rename', 'merge', 'pause', 'retire', 'hide'),
    which: fc.nat(50),
    other: fc.nat(50),
  });

  test('no redirect leads to another or to what is gone, and no link or sitemap entry to what is not a 200', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
        const catalog = buildTestCatalog();
        const { types, get } = catalog;
        const given = new Set<string>();
        const create = (): void => {
          const name = `g.t${given.size}`;
          given.add(name);
          types.create(name, { description: wordsOf(100), words: 100 });
        };
        create();
        for (const { does, which, other } of commands) {
          const names = types.names();
          const name = names[which % names.length];
          const second = names[other % names.length];
          if (does === 'create' || name === undefined) create();
          else if (does === 'rename') {
            const to = `g.t${given.size}`;
            given.add(to);
            types.rename(name, to);
          } else if (does === 'merge' && second !== undefined && second !== name) types.merge(name, second);
          else if (does === 'pause')
            types.set(name, { status: 'paused', paused: { since: '2026-01-01T00:00:00Z', reason: null, until: null } });
          else if (does === 'retire') types.retire(name);
          else if (does === 'hide') types.set(name, { visibility: 'internal' });
        }
        for (const name of given)
          for (const slash of ['', '/']) {
            const answer = await get(`/catalog/${name}${slash}`);
            if (answer.statusCode === 301)
              expect([name, (await get(String(answer.headers['location']))).statusCode]).toEqual([name, 200]);
            else
              expect([name, [404, 410, ...(slash === '' ? [200] : [])].includes(answer.statusCode)]).toEqual([
                name,
                true,
              ]);
          }
        const start = await get('/catalog');
        const toSee = [...(await inSitemap(catalog)), ...(start.statusCode === 200 ? ['/catalog'] : [])];
        const seen = new Set<string>();
        for (let url = toSee.pop(); url !== undefined; url = toSee.pop()) {
          if (seen.has(url)) continue;
          seen.add(url);
          const answer = await get(url);
          expect([url, answer.statusCode]).toEqual([url, 200]);
          if (answer.headers['content-type']?.startsWith('text/html') === true)
            toSee.push(...linksOf(answer).filter((href) => href.startsWith('/catalog')));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('faces', () => {
  test('a process without the catalog has none of its pages', async () => {
    const { get } = buildTestCatalog({
      settings: { ...plainSettings, faces: ['console'] },
    });
    for (const url of ['/catalog', '/catalog/a', '/sitemap.xml', '/robots.txt', '/catalog/verify/node'])
      expect([url, (await get(url)).statusCode]).toEqual([url, 404]);
    expect((await get('/')).statusCode).toBe(200);
  });

  test('so has one without a tenant to show', async () => {
    const { get } = buildTestCatalog({ catalog: undefined });
    expect((await get('/catalog')).statusCode).toBe(404);
  });

  test('links begin with the path of the public URL', async () => {
    const { get, types } = buildTestCatalog({
      settings: { ...plainSettings, base: '/hooks', faces: ['catalog'] },
      origin: 'https://example.com',
    });
    types.create('a', { description: wordsOf(100), words: 100 });
    types.rename('a', 'b.c');
    const answer = await get('/hooks/catalog/b.c');
    expect(canonicalOf(answer)).toBe('https://example.com/hooks/catalog/b.c');
    for (const href of linksOf(answer)) expect(href).toMatch(/^\/hooks\//);
    expect((await get('/hooks/catalog/a')).headers['location']).toBe('/hooks/catalog/b.c');
    expect((await get('/hooks/catalog/b.c/')).headers['location']).toBe('/hooks/catalog/b.c');
    expect((await get('/hooks/sitemap.xml')).body).toContain('<loc>https://example.com/hooks/catalog/b.c</loc>');
  });
});
