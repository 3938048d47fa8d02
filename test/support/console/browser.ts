import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { runAxe } from './in-page.ts';

export type { Browser, BrowserContext, Page };

/** Nothing is claimed by it: eight pages that load at once beside other tests have taken 20 s. */
const patienceMs = 180_000;

export const startBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    // Chromium's own sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage'],
  });

export interface Seat {
  context: BrowserContext;
  page: Page;
  /** The faults of any page, with its address: errors, violations of the policy, requests to other hosts. */
  complaints: string[];
}

/** A window of somebody's own, signed in with the token. */
export async function takeSeat(
  browser: Browser,
  { url, token, ...options }: { url: string; token?: string } & BrowserContextOptions,
): Promise<Seat> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patienceMs);
  if (token !== undefined)
    await context.addCookies([{ name: 'hookline', value: token, url, httpOnly: true, sameSite: 'Lax' }]);
  const complaints: string[] = [];
  context.on('console', (message) => {
    const { url: at } = message.location();
    // The status of a page is no mistake of it, and of nothing else may it be said.
    if (
      message.type() === 'error' &&
      !(message.text().startsWith('Failed to load resource') && at === message.page()?.url())
    )
      complaints.push(`${message.page()?.url()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`${error.page()?.url()}: ${error.error().message}`));
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asks ${request.url()}`);
  });
  context.on('dialog', (dialog) => {
    complaints.push(`says ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { context, page: await context.newPage(), complaints };
}

const require = createRequire(import.meta.url);
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** @param rules all of them by default. @returns what axe finds, one line each */
export async function violationsIn(page: Pick<Page, 'evaluate'>, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate<string[]>(runAxe(rules));
}
