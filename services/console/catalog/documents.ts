import { html } from '#lib/html';
import { documentOf, moved, problem } from '../page-result.ts';
import { catalogPage } from '../page.ts';
import { indentedJson } from '../ui/payload.ts';
import { groupPath, typePath } from '../ui/type-links.ts';
import type { Version } from './catalog.ts';
import { findTarget, perPage, wordsOfChanges } from './find-type.ts';
import { countWords } from './search-types.ts';
import { wordsOfTable } from './views.ts';

/** A part of the newest version, for programs. @param textOf undefined: the version has none */
const jsonOf = (file: string, contentType: string, textOf: (version: Version) => string | undefined) =>
  catalogPage({
    path: `/catalog/:type/${file}`,
    title: file,
    isDocument: true,
    query: ['name'],
    async answer({ catalog, params, query }) {
      const found = await findTarget(catalog, { params, query });
      if ('refusal' in found) return found.refusal;
      const { name, newest } = found.type;
      if (newest === null) return problem(404, { explanation: 'Its payload is not described' });
      if (found.movedBy !== undefined) return moved(typePath(name, `/${file}`));
      const text = textOf(newest);
      if (text === undefined) return problem(404, { explanation: 'It has no example' });
      return documentOf(contentType, `${indentedJson(text)}\n`);
    },
  });

export const schemaJson = jsonOf('schema.json', 'application/schema+json; charset=utf-8', (one) => one.schemaText);
export const exampleJson = jsonOf('example.json', 'application/json; charset=utf-8', ({ example, exampleText }) =>
  example === null ? undefined : exampleText,
);

/** Nothing is kept from crawlers, so that they see what has become of each address. */
export const robots = catalogPage({
  path: '/robots.txt',
  title: 'robots.txt',
  isDocument: true,
  answer: ({ origin, base }) =>
    documentOf('text/plain; charset=utf-8', `User-agent: *\nDisallow:\n\nSitemap: ${origin}${base}/sitemap.xml\n`),
});

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
      ...(types.length > 0 && isFull(wordsOfTable(types.slice(0, perPage))) ? [{ path: '/catalog' }] : []),
      ...(changes.length > 0 && isFull(wordsOfChanges(changes)) ? [{ path: '/catalog/changes' }] : []),
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
