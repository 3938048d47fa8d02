import { gzipSync } from 'node:zlib';
import { loadAssets } from '../../../services/console/http/assets.ts';
import { consoleRoutes } from '../../support/console/console-routes.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Scene } from './console-scene.ts';

const kilobyte = 1_000;

export function describeNumbers(scene: () => Scene): void {
  test('the counts of the overview are those of the API, and each says what it counts', async () => {
    const { me, theirs, world } = scene();
    const client = await world.signIn(theirs.name);
    const { api, t } = theirs;
    const [events, delivered] = await Promise.all([
      api.list('/events?order=desc&limit=1000'),
      api.list('/deliveries?status=delivered&limit=1000'),
    ]);
    const dead = await api.list('/deliveries?status=dead_lettered&limit=1000');
    // Counted, but for what was erased: that it was there is still true.
    const overview = await waitUntil(
      'all is counted',
      async () => {
        const answer = await client.get(t);
        return new RegExp(`\\b${events.length} Received`).test(answer.page.text) ? answer : undefined;
      },
      { everyMs: 500, describe: () => `${events.length} events` },
    );
    const { text } = overview.page;
    expect(text).toMatch(new RegExp(`the ${delivered.length} that were answered with a 2xx`));
    expect(text).toMatch(new RegExp(`The other \\d+ became dead letters`));
    expect(dead.length).toBeGreaterThan(0);
    // Each chart has its numbers as a table, too.
    expect(overview.text.match(/<svg[^>]*role="img"/g)?.length).toBe(
      overview.text.match(/<summary>As a table/g)?.length,
    );
    // A count of nothing leads nowhere.
    for (const { path, get, isOfTenant, kinds } of consoleRoutes)
      if (get !== undefined && isOfTenant && kinds.length === 0 && path === '/t/:tenant')
        expect((await me.get(scene().mine.t)).text).not.toMatch(/<a [^>]*>0<\/a>/);
  });

  test('scripts, styles and documents are small', async () => {
    const { me, mine } = scene();
    const assets = loadAssets();
    const bytesOf = async (end: string): Promise<number> => {
      const names = assets.names.filter((name) => name.endsWith(end));
      const bodies = await Promise.all(names.map(async (name) => (await me.get(assets.path(name))).bytes));
      return bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);
    };
    expect(await bytesOf('.js')).toBeLessThanOrEqual(20 * kilobyte);
    expect(await bytesOf('.css')).toBeLessThanOrEqual(12 * kilobyte);
    for (const { get, at } of consoleRoutes) {
      if (get === undefined) continue;
      const path = at(mine.name, mine.ids);
      const { bytes } = await me.get(path);
      expect([path, gzipSync(bytes).length <= 60 * kilobyte]).toEqual([path, true]);
    }
  });

  test('a file that a page loads is kept for ever, and told by its name', async () => {
    const { me, mine } = scene();
    const { text } = await me.get(mine.t);
    const paths = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const answer = await me.get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([
        path,
        200,
        expect.stringContaining('immutable') as string,
      ]);
    }
  });
}
