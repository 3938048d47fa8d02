import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../support/wait-until.ts';
import { type Page, type Seat, takeSeat } from '../../support/console/browser.ts';
import type { BrowserScene } from './browser-scene.ts';

/** On a machine that does nothing else it is less than one second; other tests run beside this one. */
const seenWithinMs = 5_000;

export function describeLive(scene: () => BrowserScene): void {
  const sit = async (): Promise<Seat> => {
    const { browser, world, mine } = scene();
    return takeSeat(browser, { url: world.url, token: await world.tokenFor(mine.name) });
  };
  const publish = (type: string): Promise<{ id: string }> =>
    scene().mine.api.make('POST', '/events', { type, payload: { live: true } });
  /** Held, so that what happens from now on is seen. */
  const follows = (page: Page): Promise<unknown> => page.waitForRequest(/\/live\/events\?.*wait=1/);

  test('an event that is sent appears as one new one, and comes on top when it is asked for', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    await Promise.all([follows(page), page.goto(`${mine.t}/events`)]);
    const rows = page.locator('main tbody tr');
    const before = await rows.count();
    const startMs = performance.now();
    const { id } = await publish('live.first');
    await page.getByText('1 new', { exact: false }).first().waitFor();
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeLessThan(seenWithinMs);
    expect(await rows.count()).toBe(before);
    await page.locator('.live-new').click();
    expect(await rows.first().locator('a').first().getAttribute('href')).toBe(`${mine.t}/events/${id}`);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('followed, it comes on top by itself, but not while the pointer rests on a row', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    await Promise.all([follows(page), page.goto(`${mine.t}/events?live=1`)]);
    const top = page.locator('main tbody tr').first().locator('a').first();
    const { id } = await publish('live.followed');
    await waitUntil('it is on top', async () => (await top.getAttribute('href'))?.endsWith(id), {
      timeoutMs: seenWithinMs,
    });

    await page.locator('main tbody tr').nth(2).hover();
    const next = await publish('live.while-read');
    await page.getByText('1 new', { exact: false }).first().waitFor();
    expect((await top.getAttribute('href'))?.endsWith(id)).toBe(true);
    await page.mouse.move(0, 0);
    await waitUntil('it is on top', async () => (await top.getAttribute('href'))?.endsWith(next.id), {
      timeoutMs: seenWithinMs,
    });
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('the 404 of an empty filter turns into rows when an event comes', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    const [, answer] = await Promise.all([follows(page), page.goto(`${mine.t}/events?type=live.later&live=1`)]);
    expect(answer?.status()).toBe(404);
    expect(await page.locator('main tbody tr').count()).toBe(0);
    await publish('live.other');
    const { id } = await publish('live.later');
    const link = page.locator(`main tbody a[href$="${id}"]`).first();
    await link.waitFor();
    expect(await page.locator('main tbody tr').count()).toBe(1);
    expect(await page.getByText('Nothing matches').count()).toBe(0);
    await link.click();
    await page.waitForURL(/\/events\/evt_/);
    await page.goBack();
    await page.locator('h1').waitFor();
    expect(await page.locator('[name=type]').inputValue()).toBe('live.later');
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('over two thousand events the list stays short and the heap flat', async () => {
    const { mine } = scene();
    const { context, page, complaints } = await sit();
    const client = await context.newCDPSession(page);
    const measure = async (): Promise<{ bytes: number; nodes: number }> => {
      await client.send('HeapProfiler.collectGarbage');
      const { usedSize } = await client.send('Runtime.getHeapUsage');
      const { nodes } = await client.send('Memory.getDOMCounters');
      return { bytes: usedSize, nodes };
    };
    await Promise.all([follows(page), page.goto(`${mine.t}/events?live=1`)]);
    // The list is full, and all code has run, before it counts.
    await publishMany(publish, 600, 9_000);
    const rows = page.locator('main tbody tr');
    await waitUntil('the list is full', async () => (await rows.count()) === 200, { timeoutMs: 30_000 });
    const before = await measure();
    await publishMany(publish, 1_400, 21_000);
    const last = await publish('live.last');
    await page.locator(`main tbody a[href$="${last.id}"]`).first().waitFor();
    const after = await measure();
    expect(await rows.count()).toBe(200);
    expect(after.bytes).toBeLessThan(1.1 * before.bytes);
    expect(after.nodes).toBeLessThan(1.1 * before.nodes);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('eight tabs that follow leave room for a ninth', async () => {
    const { mine } = scene();
    const { context, page } = await sit();
    const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
    await Promise.all(tabs.map((tab) => tab.goto(`${mine.t}/events?live=1`)));
    await delay(1_000);
    const startMs = performance.now();
    await page.goto(`${mine.t}/events/${mine.ids.evt}`);
    expect(performance.now() - startMs).toBeLessThan(seenWithinMs);
    await context.close();
  });

  test('while the API is away the page says so, and goes on without a gap or a repeat', async () => {
    const { mine, world } = scene();
    const { context, page } = await sit();
    await Promise.all([follows(page), page.goto(`${mine.t}/events?live=1`)]);
    const first = await publish('live.before');
    await page.locator(`main tbody a[href$="${first.id}"]`).first().waitFor();
    await world.pipeline.stopService('api');
    await page.getByText(/No answer from the API/).waitFor();
    await world.pipeline.startService('api');
    const missed = await Promise.all(['live.a', 'live.b', 'live.c'].map(publish));
    for (const { id } of missed)
      await page.locator(`main tbody tr:has(a[href$="${id}"])`).first().waitFor({ timeout: 60_000 });
    for (const { id } of [first, ...missed])
      expect(await page.locator(`main tbody tr:has(td:first-child a[href$="${id}"])`).count()).toBe(1);
    await context.close();
  });
}

/** Evenly over the time, some at once. */
async function publishMany(publish: (type: string) => Promise<unknown>, n: number, overMs: number): Promise<void> {
  const startMs = performance.now();
  const atOnce = 20;
  for (let sent = 0; sent < n; sent += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => publish('live.many')));
    const dueMs = startMs + ((sent + atOnce) / n) * overMs;
    await delay(Math.max(0, dueMs - performance.now()));
  }
}
