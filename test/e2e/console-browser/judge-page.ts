/** The demands on every page in a browser. */
import { readPage, textOf } from '../../support/console/read-page.ts';
import { type BrowserContext, type Page, violationsIn } from '../../support/console/browser.ts';
import { documentAsSeen, sidewaysScrolling } from '../../support/console/in-page.ts';

/** Each in a tab of its own. */
const atOnce = 2;
const wide = { width: 1280, height: 900 };
const narrow = { width: 320, height: 800 };
/** The rules that depend on colours, and on room; the rest is the same in every look. */
const ofColours = ['color-contrast'];
const ofRoom = [...ofColours, 'target-size', 'scrollable-region-focusable', 'link-in-text-block'];

interface Seen {
  title: string;
  headings: string[];
  rows: number;
  robots: number;
}

/** `one`: light and wide, with every rule. `all`: dark and narrow as well, with the rules that can turn out differently there. */
export type Looks = 'one' | 'all';

/** The faults of pages, by address. */
export type Findings = Record<string, string[]>;

/** Finds the faults of these pages: by axe in every look, and where scripts make another page of it. */
export async function walkPages(
  context: BrowserContext,
  looks: Looks,
  addresses: readonly string[],
): Promise<Findings> {
  const findings: Findings = {};
  const waiting = [...addresses];
  const walk = async (): Promise<void> => {
    const page = await context.newPage();
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const found = [...(await compareWithRaw(page, path)), ...(await judgeLooks(page, looks))];
      if (found.length > 0) findings[path] = [...new Set(found)];
    }
  };
  await Promise.all(Array.from({ length: atOnce }, walk));
  return findings;
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

export async function judgeLooks(page: Page, looks: Looks): Promise<string[]> {
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
  if (looks === 'one') return found;
  await look('dark, wide', wide, 'dark', ofColours);
  await look('dark, narrow', narrow, 'dark', ofRoom);
  found.push(...(await page.evaluate<string[]>(sidewaysScrolling)));
  await look('light, narrow', narrow, 'light', ofColours);
  await page.setViewportSize(wide);
  return found;
}
