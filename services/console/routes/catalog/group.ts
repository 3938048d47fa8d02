import { html } from '#lib/html';
import { groupPath, prefixIn } from '../../catalog/addresses.ts';
import { countWords } from '../../catalog/count-words.ts';
import { catalogLinks } from '../../catalog/type-links.ts';
import { page, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { typeTable, wordsOfTable } from '../../pages/catalog/type-table.ts';
import { plural } from '../../parts/words.ts';

/** `/catalog/groups/{prefix}`: the types whose names begin with it and a dot. */
export const group = catalogPage({
  path: '/catalog/groups/:prefix',
  title: 'Group',
  query: ['name'],
  async answer({ catalog, params, query, base }) {
    const prefix = prefixIn(params.prefix, query);
    if (prefix === undefined) return problem(404);
    const types = (await catalog.types()).filter(({ groups }) => groups.includes(prefix));
    if (types.length === 0) {
      const isGone = await catalog.hadGroup(prefix);
      const explanation = `No event type has a name that begins with ${prefix}${isGone ? ' any more' : ''}.`;
      return problem(isGone ? 410 : 404, { explanation });
    }
    return page({
      title: `${prefix}.* events`,
      crumbs: [{ label: 'Event types', href: `${base}/catalog` }],
      indexing: { canonical: groupPath(prefix), isIndexed: countWords(wordsOfTable(types)) >= catalog.thinWords },
      body: html`<p class="muted">${plural(types.length, 'event type')}</p>${typeTable(`Event types of ${prefix}`, types, catalogLinks(base))}`,
    });
  },
});
