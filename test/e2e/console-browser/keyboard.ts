import { takeSeat } from '../../support/console/browser.ts';
import { focused, focusIsInMain, focusIsSeen, linksOfRows } from '../../support/console/in-page.ts';
import type { BrowserScene } from './browser-scene.ts';

export function describeKeyboard(scene: () => BrowserScene): void {
  test('keys walk through rows and sections, search, and tell of themselves', async () => {
    const { browser, world, mine } = scene();
    const { context, page, complaints } = await takeSeat(browser, {
      url: world.url,
      token: await world.tokenFor(mine.name),
    });
    const { keyboard } = page;
    const focus = (): Promise<string> => page.evaluate<string>(focused);
    await page.goto(`${mine.t}/dead-letters`);
    const hrefs = await page.evaluate<string[]>(linksOfRows);
    expect(hrefs.length).toBeGreaterThan(0);
    await keyboard.press('j');
    expect(await focus()).toBe(hrefs[0]);
    await keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === hrefs[0]);

    await keyboard.press('g');
    await keyboard.press('e');
    await page.waitForURL((url) => url.pathname === `${mine.t}/events`);
    const events = await page.evaluate<string[]>(linksOfRows);
    await keyboard.press('j');
    await keyboard.press('j');
    expect(await focus()).toBe(events[1]);
    await keyboard.press('k');
    expect(await focus()).toBe(events[0]);

    await keyboard.press('/');
    expect(await focus()).toBe('q');
    await keyboard.type('j');
    expect(await page.locator('#q').inputValue()).toBe('j');
    await page.locator('h1').click();

    await keyboard.press('?');
    const help = page.getByRole('dialog');
    await help.waitFor();
    expect(await help.innerText()).toContain('next and previous row');
    await keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });

    await keyboard.press('?');
    await help.getByRole('checkbox').uncheck();
    await keyboard.press('Escape');
    await keyboard.press('g');
    await keyboard.press('d');
    await page.waitForTimeout(300);
    expect(new URL(page.url()).pathname).toBe(`${mine.t}/events`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('all of a page is reached by Tab, beginning with the way past the navigation', async () => {
    const { browser, world, mine } = scene();
    const { context, page } = await takeSeat(browser, { url: world.url, token: await world.tokenFor(mine.name) });
    await page.goto(`${mine.t}/events/new`);
    await page.keyboard.press('Tab');
    expect(await page.locator('a.skip:focus').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate<boolean>(focusIsInMain)).toBe(true);
    expect(await page.evaluate<boolean>(focusIsSeen)).toBe(true);
    await context.close();
  });
}
