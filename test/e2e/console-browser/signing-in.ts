import { takeSeat } from '../../support/console/browser.ts';
import { background, readableByScripts } from '../../support/console/in-page.ts';
import type { BrowserScene } from './browser-scene.ts';

export function describeSigningIn(scene: () => BrowserScene): void {
  test('signing in happens in place, keeps nothing where a script could read it, and signing out shows nothing when going back', async () => {
    const { browser, world, mine } = scene();
    const key = await mine.api.make('POST', '/api-keys', { name: 'somebody', scopes: ['admin'] });
    const { context, page, complaints } = await takeSeat(browser, { url: world.url });
    const path = `${mine.t}/events?type=order.paid`;
    expect((await page.goto(path))?.status()).toBe(401);
    await page.getByLabel('API key', { exact: true }).fill(String(key['key']));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);

    const readable = await page.evaluate<string>(readableByScripts);
    expect(readable).not.toMatch(/hs_|hk_/);
    expect(await context.cookies()).toMatchObject([{ name: 'hookline', httpOnly: true, sameSite: 'Lax' }]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain(mine.ids.evt);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('the theme is that of the system or the chosen one, from the first paint on', async () => {
    const { browser, world, mine } = scene();
    const { context, page } = await takeSeat(browser, {
      url: world.url,
      token: await world.tokenFor(mine.name),
      colorScheme: 'light',
    });
    const shown = (): Promise<string> => page.evaluate<string>(background);
    await page.goto(mine.t);
    const light = await shown();
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    await page.waitForLoadState();
    expect(new URL(page.url()).pathname).toBe(mine.t);
    const dark = await shown();
    expect(dark).not.toBe(light);
    // The server has it: without scripts, it is there in the document.
    const answer = await page.goto(`${mine.t}/events`);
    expect(await answer?.text()).toContain('data-theme="dark"');
    expect(await shown()).toBe(dark);
    await page.getByRole('button', { name: 'System', exact: true }).click();
    await page.waitForLoadState();
    expect(await shown()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await shown()).toBe(dark);
    await context.close();
  });

  test('times are those of the reader’s zone, and without scripts of UTC; both keep the microseconds', async () => {
    const { browser, world, mine } = scene();
    const token = await world.tokenFor(mine.name);
    const received = String((await mine.api.make('GET', `/events/${mine.ids.evt}`))['received_at']);
    const hourIn = (timeZone: string): string =>
      new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
        new Date(received),
      );
    for (const javaScriptEnabled of [true, false]) {
      const { context, page } = await takeSeat(browser, {
        url: world.url,
        token,
        javaScriptEnabled,
        timezoneId: 'Asia/Kathmandu',
        locale: 'en-GB',
      });
      await page.goto(`${mine.t}/events/${mine.ids.evt}`);
      const shown = page.locator(`time[datetime="${received}"]`).first();
      expect(await shown.innerText()).toContain(hourIn(javaScriptEnabled ? 'Asia/Kathmandu' : 'UTC'));
      expect(await shown.getAttribute('title')).toContain(received);
      await context.close();
    }
  });

  test('without scripts a form works, and a page has all its rows', async () => {
    const { browser, world, mine } = scene();
    const { context, page } = await takeSeat(browser, {
      url: world.url,
      token: await world.tokenFor(mine.name),
      javaScriptEnabled: false,
    });
    await page.goto(`${mine.t}/events`);
    expect(await page.locator('main tbody tr').count()).toBeGreaterThan(1);
    await page.goto(`${mine.t}/events/new`);
    await page.getByLabel('Type', { exact: true }).fill('order.by-hand');
    await page.getByLabel('Payload', { exact: true }).fill('{"amount": 1.0}');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.waitForURL(/\/events\/evt_/);
    expect(await page.locator('h1').innerText()).toContain('order.by-hand');
    expect(await page.locator('#payload').innerText()).toContain('1.0');
    await context.close();
  });
}
