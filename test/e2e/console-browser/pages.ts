import { readPage, textOf } from '../../support/console/read-page.ts';
import { consoleRoutes, idsThatNeverWere } from '../../support/console/console-routes.ts';
import { type Page, takeSeat, violationsIn } from '../../support/console/browser.ts';
import { documentAsSeen, hasRun, sidewaysScrolling, watchFor } from '../../support/console/in-page.ts';
import { plantAttacks, marker } from '../console/hostile.ts';
import type { BrowserScene } from './browser-scene.ts';

/** Each in a tab of its own. */
const atOnce = 2;
const wide = { width: 1280, height: 900 };
const narrow = { width: 320, height: 800 };
/** What depends on colours, and on room; the rest is the same in every look. */
const ofColours = ['color-contrast'];
const ofRoom = [...ofColours, 'target-size', 'scrollable-region-focusable', 'link-in-text-block'];

interface Seen {
  title: string;
  headings: string[];
  rows: number;
  robots: number;
}

/** What is wrong with a page, by its address. */
type Findings = Record<string, string[]>;

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

  test('every page is clean by axe, light and dark, wide and narrow, and says the same with scripts as without', async () => {
    const { browser, world, mine } = scene();
    const { context, complaints } = await takeSeat(browser, { url: world.url, token: await world.tokenFor(mine.name) });
    const findings: Findings = {};
    const waiting = addresses();
    const walk = async (): Promise<void> => {
      const page = await context.newPage();
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        const found = [...(await compareWithRaw(page, path)), ...(await judgeLooks(page))];
        if (found.length > 0) findings[path] = [...new Set(found)];
      }
    };
    await Promise.all(Array.from({ length: atOnce }, walk));
    await context.close();
    expect(findings).toEqual({});
    expect(complaints).toEqual([]);
  });

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
        const found = await judgeLooks(page);
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

/** Status, title, heading and rows of the document as it was sent, and as it is when its scripts have run. */
async function compareWithRaw(page: Page, path: string): Promise<string[]> {
  const answer = await page.goto(path, { waitUntil: 'load' });
  const raw = readPage((await answer?.text()) ?? '');
  const seen = await page.evaluate<Seen>(documentAsSeen);
  const same = (value: string): string => value.replace(/\s+/g, ' ').trim();
  return [
    ...(same(seen.title) === raw.title ? [] : [`title ${seen.title}, raw ${raw.title}`]),
    ...(seen.headings.map(textOf).join() === raw.headings.join() && raw.headings.length === 1
      ? []
      : [`h1 ${seen.headings.join()}, raw ${raw.headings.join()}`]),
    ...(seen.rows === raw.rows ? [] : [`${seen.rows} rows, raw ${raw.rows}`]),
    ...(seen.robots === 1 ? [] : ['more than one robots tag']),
  ];
}

/** All rules for the first look; for the others those that can turn out differently there. */
async function judgeLooks(page: Page): Promise<string[]> {
  const found: string[] = [];
  const look = async (
    name: string,
    viewport: typeof wide,
    colorScheme: 'light' | 'dark',
    rules?: readonly string[],
  ) => {
    await page.setViewportSize(viewport);
    // Without motion: colours are judged while they change, else.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await violationsIn(page, rules)).map((violation) => `${name}: ${violation}`));
  };
  await look('light, wide', wide, 'light');
  await look('dark, wide', wide, 'dark', ofColours);
  await look('dark, narrow', narrow, 'dark', ofRoom);
  found.push(...(await page.evaluate<string[]>(sidewaysScrolling)));
  await look('light, narrow', narrow, 'light', ofColours);
  await page.setViewportSize(wide);
  return found;
}
