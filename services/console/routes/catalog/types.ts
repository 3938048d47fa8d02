import { eventTypeStatuses, type EventTypeSummary } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { groupPath } from '../../catalog/addresses.ts';
import { countWords } from '../../catalog/count-words.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { catalogLinks } from '../../catalog/type-links.ts';
import { page, problem } from '../../page-result.ts';
import { catalogPage } from '../../page.ts';
import { typeTable, wordsOfTable } from '../../pages/catalog/type-table.ts';
import { type Filter, filterForm } from '../../parts/filter-form.ts';
import { pager } from '../../parts/pager.ts';
import { plural } from '../../parts/words.ts';

const perPage = 100;

/** `/catalog`: all types, by name. */
export const types = catalogPage({
  path: '/catalog',
  title: 'Event types',
  query: ['category', 'status', 'page'],
  async answer({ catalog, query, base }) {
    const all = await catalog.types();
    if (all.length === 0) return problem(404, { explanation: 'No event type has been published yet.' });
    const href = `${base}/catalog`;
    const filters = filtersOf(all);
    const own = parametersIn(query);
    const number = own.get('page') ?? '1';
    const matching = all.filter(
      ({ category, status }) =>
        (own.get('category') ?? category) === category && (own.get('status') ?? status) === status,
    );
    const isNumber = /^[1-9]\d{0,5}$/.test(number);
    const errors = isNumber ? [] : [{ field: 'page', message: 'must be a whole number from 1' }];
    const form = filterForm({ action: href, filters, query: own });
    const canonical = withQuery('/catalog', own);
    if (errors.length > 0)
      return page({
        status: 400,
        body: html`${form}<div class="empty"><h2>This page is not valid</h2><p><code>page</code> ${errors[0]?.message}</p></div>`,
      });
    const from = (Number(number) - 1) * perPage;
    const shown = matching.slice(from, from + perPage);
    if (shown.length === 0) return page({ status: 404, body: html`${form}${nothing(href)}` });
    const isFirst = own.size === 0;
    return page({
      title: isFirst || own.has('category') || own.has('status') ? 'Event types' : `Event types, page ${number}`,
      indexing: { canonical, isIndexed: isFirst && countWords(wordsOfTable(shown)) >= catalog.thinWords },
      body: html`${form}
<p class="muted">${plural(matching.length, 'event type')}</p>
${typeTable('Event types', shown, catalogLinks(base))}
${pager({
  href,
  prev: from > 0 ? withPage(own, Number(number) - 1) : undefined,
  next: from + perPage < matching.length ? withPage(own, Number(number) + 1) : undefined,
})}
${isFirst && groupLinks(all, base)}`,
    });
  },
});

/** The types that the page without a parameter lists. */
export const firstPage = (all: readonly EventTypeSummary[]): readonly EventTypeSummary[] => all.slice(0, perPage);

/** The parameters that this page has; links bring others. */
function parametersIn(query: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams();
  for (const name of ['category', 'status', 'page']) {
    const value = query.get(name);
    // The first page has one address.
    if (value !== null && !(name === 'page' && value === '1')) own.set(name, value);
  }
  return own;
}

function withPage(query: URLSearchParams, number: number): URLSearchParams {
  const other = new URLSearchParams(query);
  if (number === 1) other.delete('page');
  else other.set('page', String(number));
  return other;
}

function filtersOf(all: readonly EventTypeSummary[]): readonly Filter[] {
  const categories = [...new Set(all.flatMap(({ category }) => (category === null ? [] : [category])))].sort();
  return [
    { kind: 'choice', name: 'category', label: 'Category', options: categories },
    {
      kind: 'choice',
      name: 'status',
      label: 'Status',
      options: eventTypeStatuses.filter((status) => status !== 'retired'),
    },
  ];
}

const nothing = (href: string): Html =>
  html`<div class="empty"><h2>Nothing matches</h2><p>No event type matches all filters. Change a filter, or <a href="${href}">see all</a>.</p></div>`;

function groupLinks(all: readonly EventTypeSummary[], base: string): Html | null {
  const groups = [...new Set(all.flatMap((type) => type.groups))].sort();
  if (groups.length === 0) return null;
  return html`<section class="card"><h2>Groups</h2><ul class="links">${groups.map((group) => html`<li><a href="${base}${groupPath(group)}"><code>${group}.*</code></a></li>`)}</ul></section>`;
}
