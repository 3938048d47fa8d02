import { html } from '#lib/html';
import { groupPath, typePath } from '../../catalog/addresses.ts';
import { countWords } from '../../catalog/count-words.ts';
import { documentOf } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { wordsOfTable } from '../../pages/catalog/type-table.ts';
import { wordsOf } from './changes.ts';
import { firstPage } from './types.ts';

/** Asked of the API each time: what is renamed or retired is not in it from that moment on. Only pages that are to be indexed are. */
export const sitemap = catalogPage({
  path: '/sitemap.xml',
  title: 'Sitemap',
  isDocument: true,
  async answer({ catalog, origin, base }) {
    const types = await catalog.types();
    const { changes = [] } = (await catalog.changes(undefined)) ?? {};
    const { thinWords } = catalog;
    const isFull = (texts: readonly string[]): boolean => countWords(texts) >= thinWords;
    // Each type is read once, however many groups it is in.
    const wordsOfGroups = new Map<string, number>();
    for (const type of types) {
      const words = countWords(wordsOfTable([type]));
      for (const group of type.groups) wordsOfGroups.set(group, (wordsOfGroups.get(group) ?? 0) + words);
    }
    const addresses = [
      ...(types.length > 0 && isFull(wordsOfTable(firstPage(types))) ? [{ path: '/catalog' }] : []),
      ...(changes.length > 0 && isFull(wordsOf(changes)) ? [{ path: '/catalog/changes' }] : []),
      ...[...wordsOfGroups]
        .filter(([, words]) => words >= thinWords)
        .map(([group]) => ({ path: groupPath(group) }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
      ...types
        .filter(({ words }) => words >= thinWords)
        .map(({ name, changed_at: changedAt }) => ({ path: typePath(name), changedAt })),
    ];
    const entry = ({ path, changedAt }: { path: string; changedAt?: string }) =>
      html`<url><loc>${origin}${base}${path}</loc>${changedAt !== undefined && html`<lastmod>${changedAt}</lastmod>`}</url>
`;
    const document = html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.map(entry)}</urlset>
`;
    return documentOf('application/xml; charset=utf-8', document.toString());
  },
});
