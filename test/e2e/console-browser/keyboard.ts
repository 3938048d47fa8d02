import { setTimeout as delay } from 'node:timers/promises';
import { type Page, type Seat, takeSeat } from '../../support/console/browser.ts';
import {
  focused,
  focusIsInMain,
  focusIsLost,
  focusIsOn,
  focusIsSeen,
  linksOfRows,
} from '../../support/console/in-page.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { deadByDisabling } from '../console/replaying.ts';
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

  const sit = async (): Promise<Seat> => {
    const { browser, world, mine } = scene();
    return takeSeat(browser, { url: world.url, token: await world.tokenFor(mine.name) });
  };

  test('a mistake in a form is read first, and led to; then the form is sent', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    await page.goto(`${mine.t}/endpoints/new`);
    await tabTo(page, '#field-url');
    await page.keyboard.type('http://169.254.169.254/hook');
    await page.keyboard.press('Enter');
    await page.locator('.error-summary').waitFor();
    expect(await page.evaluate<boolean>(focusIsOn('.error-summary'))).toBe(true);
    expect(await page.locator('#field-url').inputValue()).toBe('http://169.254.169.254/hook');
    await tabTo(page, '.error-summary a');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<boolean>(focusIsOn('#field-url'))).toBe(true);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(scene().world.receiver.url('mine-by-keyboard'));
    await page.keyboard.press('Enter');
    await page.getByText('whsec_').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('things are found, compared and tested', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    const { keyboard } = page;
    await page.goto(mine.t);
    await keyboard.press('/');
    await keyboard.type(mine.ids.evt);
    await keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === `${mine.t}/events/${mine.ids.evt}`);
    await tabTo(page, `a[href$="/compare?a=${mine.ids.evt}"]`);
    await keyboard.press('Enter');
    await page.waitForURL(/\/compare\?a=/);
    await tabTo(page, '#field-b');
    await keyboard.type(mine.ids.evt);
    await keyboard.press('Enter');
    await page.getByText('Equal: both payloads are the same').waitFor();

    await page.goto(`${mine.t}/endpoints/${mine.ids.ep}`);
    await tabTo(page, `a[href$="${mine.ids.ep}/test"]`);
    await keyboard.press('Enter');
    await page.waitForURL(/\/test$/);
    await tabTo(page, 'main form button');
    await keyboard.press('Enter');
    await page.waitForURL(/\/test\?event=evt_/);
    await waitUntil('the receiver took it', async () => {
      if ((await page.getByText('The receiver accepted it.').count()) > 0) return true;
      // The page waits as long as the API does, and says that it is to be reloaded where that was not long enough.
      await page.getByText('Reload this page').waitFor();
      await page.reload();
      return false;
    });
    expect(await page.getByText('HTTP 200', { exact: true }).count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('dead letters are replayed once, however often Enter is pressed, and the focus outlives the end of the replay', async () => {
    const { mine, world } = scene();
    const type = 'spare.by-keyboard';
    await deadByDisabling(world, mine, type, 4);
    const { context, page, complaints } = await sit();
    const { keyboard } = page;
    await page.goto(`${mine.t}/dead-letters?event_type=${type}`);
    await keyboard.press('r');
    await page.waitForURL(/\/replays\/new\?/);
    await tabTo(page, '[name=rate_per_second]');
    await keyboard.press('ControlOrMeta+a');
    // The second goes after a hundred seconds: however long Tab takes, the replay is still running.
    await keyboard.type('0.01');
    await keyboard.press('Enter');
    await page.waitForURL(/rate_per_second=0\.01(&|$)/);
    const before = await mine.api.list('/replays');
    await tabTo(page, '.preview form button');
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    // The second Enter aborts the navigation of the first, and `waitForURL` fails with the one that it sees aborted.
    await page.locator('a[data-while-running]').waitFor();
    const [, replay] = /\/replays\/(rpl_\w+)$/.exec(page.url()) ?? [];
    await tabTo(page, 'a[data-while-running]');
    await mine.api.make('DELETE', `/replays/${replay}`);
    await page.getByText('All that was sent has ended.').waitFor();
    world.receiver.react(({ name }) => ({ status: name.endsWith('refuses') ? 500 : 200 }));
    expect(await page.evaluate<boolean>(focusIsOn('live-replay'))).toBe(true);
    expect(await page.evaluate<boolean>(focusIsSeen)).toBe(true);
    expect((await mine.api.list('/replays')).length).toBe(before.length + 1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('new events are shown, and the focus goes on from them', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    const { keyboard } = page;
    await page.goto(`${mine.t}/events`);
    await keyboard.press('l');
    await page.waitForURL(/live=1/);
    await keyboard.press('l');
    await page.waitForURL((url) => !url.searchParams.has('live'));
    const { id } = await mine.api.make('POST', '/events', { type: 'keyboard.new', payload: {} });
    await page.locator('.live-new:visible').waitFor();
    await tabTo(page, '.live-new');
    await keyboard.press('Enter');
    expect(await page.evaluate<boolean>(focusIsOn(`tbody tr:first-child a[href$="${id}"]`))).toBe(true);
    expect(await page.evaluate<boolean>(focusIsSeen)).toBe(true);
    // An update of what is shown takes nothing from who is there.
    await mine.api.make('POST', '/events', { type: 'keyboard.newer', payload: {} });
    await page.getByText('1 new', { exact: false }).first().waitFor();
    await delay(500);
    expect(await page.evaluate<boolean>(focusIsOn(`a[href$="${id}"]`))).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });
}

/** More than any page has. */
const mostStops = 150;

/** By Tab alone; whatever has the focus on the way shows it. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const unseen = new Set<string>();
  for (let stops = 0; stops < mostStops; stops += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate<boolean>(focusIsLost)) continue;
    if (!(await page.evaluate<boolean>(focusIsSeen))) unseen.add(await page.evaluate<string>(focused));
    if (await page.evaluate<boolean>(focusIsOn(selector))) {
      expect([...unseen]).toEqual([]);
      return;
    }
  }
  throw new Error(`${page.url()}: Tab does not get to ${selector}`);
}
