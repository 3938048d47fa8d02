import { takeSeat } from '../../support/console/browser.ts';
import type { BrowserScene } from './browser-scene.ts';
import { walkPages } from './judge-page.ts';

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

export function describeCatalog(scene: () => BrowserScene): void {
  test('every page of it is clean by axe, and the same with scripts as without', async () => {
    const { browser, world } = scene();
    const { make } = world.api('default');
    const schema = { type: 'object', properties: { id: { type: 'string', description: 'Its id' } } };
    const create = (name: string, more: object = {}) =>
      make('POST', '/event-types', { name, visibility: 'public', description: words(120), schema, ...more });
    await create('shop.paid', { category: 'Shop' });
    await create('shop.held');
    await create('shop.old');
    await make('POST', '/event-types/shop.paid/versions', { schema: { ...schema, title: 'Paid' }, notes: words(5) });
    await make('POST', '/event-types/shop.held/pause', { reason: 'Taxes' });
    await make('DELETE', '/event-types/shop.old');
    const { context, complaints } = await takeSeat(browser, { url: world.url });
    const findings = await walkPages(context, scene().looks, [
      ...['/catalog', '/catalog/shop.paid', '/catalog/shop.paid/v/1', '/catalog/shop.paid/v/2', '/catalog/shop.held'],
      ...['/catalog/groups/shop', '/catalog/search?q=word7', '/catalog/search?q=nothing', '/catalog/changes'],
      ...['/catalog/verify/node', '/catalog/verify/python', '/catalog/verify/go'],
      ...['/catalog/shop.old', '/catalog/never.was', '/catalog?status=deprecated', '/catalog?page=9'],
    ]);
    await context.close();
    expect(findings).toEqual({});
    expect(complaints).toEqual([]);
  });
}
