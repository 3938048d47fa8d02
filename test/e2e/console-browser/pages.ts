import { consoleRoutes, idsThatNeverWere } from '../../support/console/console-routes.ts';
import { takeSeat } from '../../support/console/browser.ts';
import { hasRun, watchFor } from '../../support/console/in-page.ts';
import { plantAttacks, marker } from '../console/hostile.ts';
import type { BrowserScene } from './browser-scene.ts';
import { type Findings, judgeLooks, walkPages } from './judge-page.ts';

/** The limit for all pages in all looks; axe takes a second of a processor for each. */
const walkTimeoutMs = 30 * 60_000;
export function describePages(scene: () => BrowserScene): void {
  const addresses = (): string[] => {
    const { mine, theirs } = scene();
    const own = consoleRoutes
      .filter(({ get, path, page }) => get !== undefined && !path.includes('/live/') && page.access !== 'operator')
      .map(({ at }) => at(mine.name, mine.ids));
    return [
      ...own,
      '/nowhere',
      `${mine.t}/events/${idsThatNeverWere().evt}`,
      `${mine.t}/endpoints/${mine.deleted.ep}`,
      `${mine.t}/events/${mine.erasedEvent}`,
      `${mine.t}/events?type=never.was`,
      `${mine.t}/events?received_since=yesterday`,
      `${mine.t}/compare?a=${mine.ids.evt}&b=${mine.ids.evt}`,
      `${mine.t}/replays/new?what=dead_letters`,
      `${theirs.t}/events`,
    ];
  };

  test(
    'every page is clean by axe, light and dark, wide and narrow, and says the same with scripts as without',
    async () => {
      const { browser, world, mine } = scene();
      const { context, complaints } = await takeSeat(browser, {
        url: world.url,
        token: await world.tokenFor(mine.name),
      });
      const findings = await walkPages(context, scene().looks, addresses());
      await context.close();
      expect(findings).toEqual({});
      expect(complaints).toEqual([]);
    },
    walkTimeoutMs,
  );

  test('pages of the operator, and of nobody, are clean as well', async () => {
    const { browser, world, mine } = scene();
    const findings: Findings = {};
    const ofOperator = consoleRoutes.filter(({ page, get }) => page.access === 'operator' && get !== undefined);
    const seats: readonly [string | undefined, readonly string[]][] = [
      [
        await world.tokenFor('*'),
        [
          '/',
          '/t/empty',
          '/t/empty/events',
          '/t/empty/endpoints',
          ...ofOperator.map(({ at }) => at(mine.name, mine.ids)),
        ],
      ],
      [undefined, ['/', mine.t]],
    ];
    for (const [token, paths] of seats) {
      const { context, page, complaints } = await takeSeat(browser, {
        url: world.url,
        ...(token !== undefined && { token }),
      });
      for (const path of paths) {
        await page.goto(path);
        const found = await judgeLooks(page, scene().looks);
        if (found.length > 0) findings[path] = [...new Set(found)];
      }
      await context.close();
      expect(complaints).toEqual([]);
    }
    expect(findings).toEqual({});
  });

  test('what others write runs nothing', async () => {
    const { browser, world, mine } = scene();
    const { context, page, complaints } = await takeSeat(browser, {
      url: world.url,
      token: await world.tokenFor(mine.name),
    });
    await page.addInitScript(watchFor(marker));
    for (const path of await plantAttacks(scene())) {
      await page.goto(path);
      expect([path, await page.evaluate<boolean>(hasRun)]).toEqual([path, false]);
      expect([path, await page.locator('main img, main script').count()]).toEqual([path, 0]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('problems do not navigate by themselves', async () => {
    const { browser, world, mine } = scene();
    const { context, complaints } = await takeSeat(browser, { url: world.url, token: await world.tokenFor(mine.name) });
    const paths = ['/nowhere', `${mine.t}/endpoints/${mine.deleted.ep}`, '/t/never-was', `${mine.t}/events?limit=abc`];
    const pages = await Promise.all(
      paths.map(async (path) => {
        const page = await context.newPage();
        let navigations = -1;
        page.on('framenavigated', () => (navigations += 1));
        await page.goto(path);
        return { page, path, navigations: () => navigations };
      }),
    );
    await pages[0]?.page.waitForTimeout(5_000);
    for (const { page, path, navigations } of pages)
      expect([path, new URL(page.url()).pathname + new URL(page.url()).search, navigations()]).toEqual([path, path, 0]);
    expect(complaints).toEqual([]);
    await context.close();
  });
}
