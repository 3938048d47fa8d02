import { waitUntil } from '../../support/wait-until.ts';
import { createApiCaller } from '../../support/console/api-caller.ts';
import { createConsoleClient, formHeaders, newKey } from '../../support/console/console-client.ts';
import { consoleRoutes } from '../../support/console/console-routes.ts';
import type { Scene } from './console-scene.ts';

/** How soon the end of a key or a session is known everywhere. */
const endedWithinMs = 6_000;

const signInFrom = (address: string, more: Readonly<Record<string, string>> = {}) => ({
  'x-forwarded-for': address,
  ...more,
});

export function describeSafety(scene: () => Scene): void {
  test('signing in ends on the page that was asked for, and the key is in no cookie', async () => {
    const { world, nobody, mine } = scene();
    const path = `${mine.t}/events?type=order.paid`;
    const form = (await nobody.get(path)).page.forms.find(({ action }) => action === '/session');
    const { adminKey } = world.pipeline.stack;
    const answer = await nobody.post(
      '/session',
      { to: form?.fields.get('to') ?? '', key: adminKey },
      signInFrom('192.0.2.1'),
    );
    expect([answer.status, answer.headers['location']]).toEqual([303, path]);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^hookline=hs_[^;]+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain(adminKey);
    const [, token = ''] = /^hookline=([^;]+)/.exec(cookie) ?? [];
    expect((await createConsoleClient(world.url, token).get(path)).status).toBe(200);

    const wrong = await nobody.post('/session', { to: path, key: 'hk_wrong' }, signInFrom('192.0.2.1'));
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined]);
    expect(wrong.text).toContain('aria-invalid="true"');
    for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const led = await nobody.post('/session', { to, key: adminKey }, signInFrom('192.0.2.2'));
      expect([to, led.headers['location']]).toEqual([to, '/t/default']);
    }
  });

  test('over https the cookie is of this host alone, and never sent by another site', async () => {
    const { world, nobody } = scene();
    const https = signInFrom('192.0.2.3', { 'x-forwarded-proto': 'https' });
    const answer = await nobody.post('/session', { key: world.pipeline.stack.adminKey }, https);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-hookline=hs_[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/) as string,
    ]);
  });

  test('the eleventh attempt within a minute has to wait', async () => {
    const { nobody } = scene();
    const statuses: number[] = [];
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      const { status, headers } = await nobody.post('/session', { key: 'hk_wrong' }, signInFrom('192.0.2.4'));
      statuses.push(status);
      if (attempt === 11) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  test('signing out ends the session at the API', async () => {
    const { world, mine } = scene();
    const token = await world.tokenFor(mine.name);
    const client = createConsoleClient(world.url, token);
    expect((await client.get(mine.t)).status).toBe(200);
    const answer = await client.post('/session/end', {});
    expect([answer.status, answer.headers['clear-site-data']]).toEqual([303, '"cache", "cookies"']);
    expect(String(answer.headers['set-cookie'])).toMatch(/^hookline=; .*Max-Age=0/);
    // Every process of the API knows it within seconds.
    const caller = createApiCaller(world.pipeline.stack.apiUrl, token);
    await waitUntil('the API has ended it', async () => (await caller.ask('GET', '/me')).status === 401, {
      timeoutMs: endedWithinMs,
    });
    expect((await client.get(mine.t)).status).toBe(401);
  });

  test('a session ends with its key', async () => {
    const { world, mine } = scene();
    const { apiUrl } = world.pipeline.stack;
    const key = await mine.api.make('POST', '/api-keys', { name: 'to be revoked', scopes: ['admin'] });
    const made = await createApiCaller(apiUrl, String(key['key'])).make('POST', '/sessions', {});
    const client = createConsoleClient(world.url, String(made['token']));
    expect((await client.get(mine.t)).status).toBe(200);
    await mine.api.make('DELETE', `/api-keys/${key.id}`);
    await waitUntil('the session has ended', async () => (await client.get(mine.t)).status === 401, {
      timeoutMs: endedWithinMs,
    });
  });

  test('a form that another site has sent is a 403, and does nothing', async () => {
    const { me, mine } = scene();
    const before = await mine.api.list('/replays');
    const type = { 'content-type': formHeaders['content-type'] };
    const foreign: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      {},
    ];
    for (const { post, at } of consoleRoutes) {
      if (post === undefined) continue;
      for (const headers of foreign) {
        const path = at(mine.name, mine.ids);
        const answer = await me.send('POST', path, { ...type, ...headers }, `idempotency_key=${newKey()}`);
        expect([path, headers, answer.status]).toEqual([path, headers, 403]);
      }
    }
    expect(await mine.api.list('/replays')).toEqual(before);
    expect((await me.get(mine.t)).status).toBe(200);
  });

  test('no page has the token of its session, and each forbids what it does not need', async () => {
    const { world, mine } = scene();
    const token = await world.tokenFor(mine.name);
    const client = createConsoleClient(world.url, token);
    for (const { get, at } of consoleRoutes) {
      if (get === undefined) continue;
      const path = at(mine.name, mine.ids);
      const { text, headers } = await client.get(path);
      expect([path, text.includes(token)]).toEqual([path, false]);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'.*script-src 'self'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
        ) as string,
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-store',
      });
      // Nothing inline, and nothing of another host.
      expect([path, inlineIn(text)]).toEqual([path, []]);
    }
  });

  test('who may only read sees no action, and is refused each by the name of its scope', async () => {
    const { reader, mine } = scene();
    const writing = consoleRoutes.filter(
      ({ get, isOfTenant }) => isOfTenant && get !== undefined && get.scope !== 'read',
    );
    for (const { get, isOfTenant, at } of consoleRoutes) {
      if (get === undefined || !isOfTenant) continue;
      const path = at(mine.name, mine.ids);
      const { status, page, text } = await reader.get(path);
      if (get.scope !== 'read' && get.scope !== 'any') {
        expect([path, status, text.includes(get.scope)]).toEqual([path, 403, true]);
        continue;
      }
      const forms = page.forms.filter(({ method, action }) => method === 'POST' && !mayRead(action));
      expect([path, forms.map(({ action }) => action)]).toEqual([path, []]);
      const links = page.links.filter((href) => writing.some((route) => matches(route.path, href)));
      expect([path, links]).toEqual([path, []]);
    }
    for (const { post, isOfTenant, at } of consoleRoutes) {
      if (post === undefined || !isOfTenant || post.scope === 'read') continue;
      const path = at(mine.name, mine.ids);
      const { status, page } = await reader.post(path, {});
      expect([path, status]).toEqual([path, 403]);
      expect(page.text).toContain(`scope ${post.scope}`);
    }
  });

  test('the pages of the operator are for the operator', async () => {
    const { me, operator } = scene();
    for (const { page, get, path } of consoleRoutes) {
      if (page.access !== 'operator' || get === undefined || path.includes(':')) continue;
      expect([path, (await me.get(path)).status]).toEqual([path, 403]);
      expect([path, (await operator.get(path)).status]).toEqual([path, 200]);
    }
  });
}

/** Scripts, styles and handlers within the page, and addresses of other hosts that a browser would load by itself. */
function inlineIn(markup: string): string[] {
  const tags = markup.match(/<[a-z][^>]*>/gi) ?? [];
  return [
    ...tags.filter((tag) => /\s(on[a-z]+|style|srcdoc)\s*=/i.test(tag.replace(/"[^"]*"/g, '""'))),
    ...tags.filter((tag) => /^<script/i.test(tag) && !/\ssrc="\/assets\//.test(tag)),
    ...tags.filter((tag) => /^<(style|iframe|object|embed|base)/i.test(tag)),
    ...tags.filter(
      (tag) => /^<(img|link|source|video|audio|form)\b/i.test(tag) && /(src|href|action)="(https?:)?\/\//i.test(tag),
    ),
    ...tags.filter((tag) => /\s(href|src|action)="\s*(javascript|data|vbscript):/i.test(tag)),
  ];
}

/** Forms that are nobody's action in a tenant, and questions that are too long for an address. */
const mayRead = (action: string): boolean =>
  consoleRoutes.some(
    ({ path, page, post }) => (page.access === 'public' || post?.scope === 'read') && matches(path, action),
  );

/** Whether an address is one of a route: a parameter takes anything but the words that other routes have in its place. */
function matches(path: string, href: string): boolean {
  const [pathname = ''] = href.split('?');
  return new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`).test(pathname);
}
