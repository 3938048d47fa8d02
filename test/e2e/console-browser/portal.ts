import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { takeSeat, violationsIn } from '../../support/console/browser.ts';
import { readableByScripts } from '../../support/console/in-page.ts';
import { portalPages } from '../../../services/console/pages.ts';
import { framePort, otherFramePort } from '../../support/console/console-world.ts';
import type { BrowserScene } from './browser-scene.ts';
import { walkPages } from './judge-page.ts';

const all = ['view', 'replay', 'endpoints', 'secrets'];

export function describePortal(scene: () => BrowserScene): void {
  const openLink = async (more: object = {}): Promise<string> => {
    const { mine } = scene();
    const link = await mine.api.make('POST', '/portal-links', { capabilities: all, ...more });
    return `/p/${String(link['code'])}`;
  };
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.close()));

  test('a link signs in by its button, and nothing is kept where a script could read it; its pages are clean by axe', async () => {
    const { browser, world, mine } = scene();
    const { context, page, complaints } = await takeSeat(browser, { url: world.url });
    const link = await openLink({ accent: '#1a5fb4' });
    await page.goto(link);
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Continue' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Your webhooks' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal');
    expect(await page.evaluate<string>(readableByScripts)).not.toMatch(/h[sp]_/);
    expect(await context.cookies()).toContainEqual(
      expect.objectContaining({ name: 'hookline-portal', httpOnly: true, sameSite: 'Lax' }),
    );

    const ids = { ':id': mine.ids.ep, ':n': '1', ':name': 'never.was', ':language': 'node', ':version': '1' };
    const idOf = (path: string): string =>
      path.includes('/deliveries/') ? mine.ids.dlv : path.includes('/events/') ? mine.ids.evt : mine.ids.ep;
    const addresses = portalPages
      .filter(({ path, handlers }) => handlers.GET !== undefined && !path.includes('/live/') && !path.startsWith('/p/'))
      .map(({ path }) => {
        const id = path.includes('/replays/:id') ? mine.ids.rpl : idOf(path);
        return path.replace(/:\w+/g, (name) => (name === ':id' ? id : ((ids as Record<string, string>)[name] ?? '')));
      });
    const findings = await walkPages(context, scene().looks, [
      ...addresses,
      '/portal/replays/new?what=retry&status=dead_lettered',
      '/portal/events?type=never.was',
      '/portal/nowhere',
      link,
    ]);
    expect(findings).toEqual({});
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** A page of another site with the portal within it. */
  async function serve(port: number, src: () => string): Promise<string> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>App</title><p id="height">none</p><iframe src="${src()}" width="800" height="600"></iframe>
<script>addEventListener('message', ({ origin, data }) => { document.getElementById('height').textContent = origin + ' ' + data.type + ' ' + (data.height > 100); })</script>`);
    });
    servers.push(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return `http://localhost:${port}/`;
  }

  test('within a page that is listed it signs in, works, and survives a reload; another page is refused', async () => {
    const { browser, world } = scene();
    let link = await openLink();
    const listed = await serve(await framePort, () => world.url + link);
    const other = await serve(await otherFramePort, () => world.url + link);
    // As a proxy says that ends TLS.
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-proto': 'https' } });
    const page = await context.newPage();
    await page.goto(other);
    await page.waitForTimeout(1_000);
    expect(await page.frames()[1]?.locator('button').count()).toBe(0);

    await page.goto(listed);
    const frame = page.frameLocator('iframe');
    const violations = async (): Promise<string[]> => {
      const [, embedded] = page.frames();
      return embedded === undefined ? ['there is no frame'] : violationsIn(embedded);
    };
    await frame.getByRole('button', { name: 'Continue' }).click();
    await frame.getByRole('heading', { level: 1, name: 'Your webhooks' }).waitFor();
    await page.getByText(`${new URL(world.url).origin} hookline:height true`).waitFor();
    expect(await violations()).toEqual([]);
    const cookies = await context.cookies();
    expect(cookies.find(({ name }) => name === '__Host-hookline-portal')).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'None',
      partitionKey: 'http://localhost',
    });
    await frame.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await frame.getByRole('heading', { level: 1, name: 'Endpoints' }).waitFor();
    await frame.getByRole('link', { name: 'New endpoint' }).click();
    await frame.getByLabel('URL', { exact: true }).fill('https://in-a-frame.example/');
    expect(await violations()).toEqual([]);
    await frame.getByRole('button', { name: 'Create endpoint' }).click();
    await frame.getByRole('heading', { level: 1, name: 'Endpoint created' }).waitFor();
    expect(await violations()).toEqual([]);
    link = '/portal';
    await page.reload();
    await frame.getByRole('heading', { level: 1, name: 'Your webhooks' }).waitFor();

    // On the portal's own site that session is nobody's.
    expect((await page.goto(`${world.url}/portal`))?.status()).toBe(401);
    await context.close();
  });
}
