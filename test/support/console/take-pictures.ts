/**
 * `make picture`: fills the tenant of `make demo`, signs in to the console, and takes the README's pictures of the event that failed, was
 * replayed and arrived: docs/images/journey-light.png and -dark.png.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, say } from '#deploy/local/command.ts';
import { StackError } from '#deploy/local/failure.ts';
import { root } from '#deploy/local/paths.ts';
import { runDemo, type RunningDemo } from '#deploy/local/run-demo.ts';
import { createApiClient } from '#deploy/local/smoke/api-client.ts';
import { startBrowser, takeSeat } from './browser.ts';
import { findChromium } from './find-chromium.ts';
import { toPalettePng } from './palette-png.ts';

const width = 1_100;
/** More than the page is high down to the end of the journey. */
const height = 1_400;
const margin = 20;
/** Whoever opens the README loads it. */
const mostBytes = 250_000;

await runCommand(async () => {
  const found = findChromium();
  if ('missing' in found) throw new StackError(found.missing);
  const demo = await runDemo();
  const browser = await startBrowser(found.path);
  try {
    for (const theme of ['light', 'dark'] as const) await takePicture(browser, theme, demo);
  } finally {
    await browser.close();
  }
});

async function takePicture(
  browser: Awaited<ReturnType<typeof startBrowser>>,
  theme: 'light' | 'dark',
  { apiUrl, consoleUrl: url, adminKey, tenant, path }: RunningDemo,
): Promise<void> {
  const api = createApiClient({ url: apiUrl, adminKey, tenant });
  const { token } = await api.post<{ token: string }>('/v1/sessions', { scopes: ['read', 'write'] });
  const { context, page, complaints } = await takeSeat(browser, {
    url,
    token,
    colorScheme: theme,
    viewport: { width, height },
    deviceScaleFactor: 2,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  await page.goto(path);
  const end = await page.locator('.journey').boundingBox();
  if (end === null || complaints.length > 0) throw new Error(`the page is not whole: ${complaints.join(', ')}`);
  const clip = { x: 0, y: 0, width, height: Math.ceil(end.y + end.height + margin) };
  const png = toPalettePng(await page.screenshot({ clip }));
  await context.close();
  const file = `docs/images/journey-${theme}.png`;
  if (png.length > mostBytes) throw new StackError(`${file} would be larger than ${mostBytes / 1_000} kB`);
  writeFileSync(join(root, file), png);
  say(`${file}  ${Math.round(png.length / 1_000)} kB`);
}
