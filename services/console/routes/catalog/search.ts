import { html } from '#lib/html';
import { typePath } from '../../catalog/addresses.ts';
import { searchTypes, suggestTypes } from '../../catalog/search-types.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { catalogLinks } from '../../catalog/type-links.ts';
import { page, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { typeTable } from '../../pages/catalog/type-table.ts';
import { plural } from '../../parts/words.ts';

const maxLength = 200;
const mostShown = 100;

/** `/catalog/search?q=`: the form is in the header of every page, and keeps what was searched for. */
export const search = catalogPage({
  path: '/catalog/search',
  title: 'Search',
  query: ['q'],
  async answer({ catalog, query, base }) {
    const words = query.get('q')?.trim() ?? '';
    if (words === '') return problem(400, { errors: [{ field: 'q', message: 'is missing' }] });
    if (words.length > maxLength)
      return problem(400, { errors: [{ field: 'q', message: `must have at most ${maxLength} characters` }] });
    const types = await catalog.types();
    const found = searchTypes(types, words);
    const title = `Search: ${words}`;
    const indexing = { canonical: withQuery('/catalog/search', { q: words }), isIndexed: false };
    if (found.length > 0)
      return page({
        title,
        indexing,
        body: html`<p class="muted">${plural(found.length, 'event type')}</p>${typeTable(title, found.slice(0, mostShown), catalogLinks(base))}
${found.length > mostShown && html`<p class="muted">The first ${mostShown} are shown. Add a word.</p>`}`,
      });
    const near = suggestTypes(types, words);
    return page({
      title,
      status: 404,
      body: html`<div class="empty"><h2>Nothing matches</h2><p>No event type has all of these words. Search for fewer of them${types.length > 0 && html`, or <a href="${base}/catalog">see all</a>`}.</p>
${near.length > 0 && html`<p>Did you mean</p><ul class="links">${near.map(({ name }) => html`<li><a href="${base}${typePath(name)}"><code>${name}</code></a></li>`)}</ul>`}</div>`,
    });
  },
});
