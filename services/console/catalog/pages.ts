import type { EventTypeSummary } from '#lib/api-contract';
import { eventTypeStatuses } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import { moved, page, problem } from '../page-result.ts';
import { catalogPage } from '../page.ts';
import { nothingFound } from '../ui/list-page.ts';
import { type Filter, filterForm, pager } from '../ui/lists.ts';
import { plural } from '../ui/text.ts';
import { catalogLinks, groupPath, prefixIn, typePath, versionOf, versionPath } from '../ui/type-links.ts';
import type { Catalog } from './catalog.ts';
import { exampleJson, robots, schemaJson, sitemap } from './documents.ts';
import { findTarget, findType, noType, perPage, wordsOfChanges } from './find-type.ts';
import { countWords, searchTypes, suggestTypes } from './search-types.ts';
import { verify } from './verify.ts';
import { changeList, typePage, typeTable, versionPage, wordsOfTable } from './views.ts';

/** `/catalog`: all types, by name. */
const types = catalogPage({
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
    const form = filterForm({ action: href, filters, query: own });
    if (!/^[1-9]\d{0,5}$/.test(number))
      return page({
        status: 400,
        body: html`${form}<div class="empty"><h2>This page is not valid</h2><p><code>page</code> must be a whole number from 1</p></div>`,
      });
    const from = (Number(number) - 1) * perPage;
    const shown = matching.slice(from, from + perPage);
    if (shown.length === 0) return page({ status: 404, body: html`${form}${nothingFound(href, 'No event type')}` });
    const isFirst = own.size === 0;
    return page({
      title: isFirst || own.has('category') || own.has('status') ? 'Event types' : `Event types, page ${number}`,
      indexing: {
        canonical: withQuery('/catalog', own),
        isIndexed: isFirst && countWords(wordsOfTable(shown)) >= catalog.thinWords,
      },
      body: html`${form}
<p class="muted">${plural(matching.length, 'event type')}</p>
${typeTable('Event types', shown, catalogLinks(base))}
${pager({
  href,
  prev: from > 0 ? parametersIn(own, String(Number(number) - 1)) : undefined,
  next: from + perPage < matching.length ? parametersIn(own, String(Number(number) + 1)) : undefined,
})}
${isFirst && groupLinks(all, base)}`,
    });
  },
});

/** The parameters that this page has; links bring others. The first page has one address. */
function parametersIn(query: URLSearchParams, number = query.get('page') ?? '1'): URLSearchParams {
  const own = new URLSearchParams();
  const page = number === '1' ? null : number;
  for (const [name, value] of Object.entries({ category: query.get('category'), status: query.get('status'), page }))
    if (value !== null) own.set(name, value);
  return own;
}

const statuses = eventTypeStatuses.filter((status) => status !== 'retired');

function filtersOf(all: readonly EventTypeSummary[]): readonly Filter[] {
  const categories = [...new Set(all.flatMap(({ category }) => (category === null ? [] : [category])))].sort();
  return [
    { kind: 'choice', name: 'category', label: 'Category', options: categories },
    { kind: 'choice', name: 'status', label: 'Status', options: statuses },
  ];
}

function groupLinks(all: readonly EventTypeSummary[], base: string): Html | null {
  const groups = [...new Set(all.flatMap((type) => type.groups))].sort();
  if (groups.length === 0) return null;
  return html`<section class="card"><h2>Groups</h2><ul class="links">${groups.map((group) => html`<li><a href="${base}${groupPath(group)}"><code>${group}.*</code></a></li>`)}</ul></section>`;
}

/** `/catalog/{type}` */
const type = catalogPage({
  path: '/catalog/:type',
  title: 'Event type',
  query: ['name'],
  async answer({ catalog, params, query, base, origin }) {
    const found = await findType(catalog, { params, query });
    if (found.kind === 'moved') return moved(typePath(found.to));
    if (found.kind !== 'found') return noType(found.kind);
    const { value } = found;
    return page({
      title: value.name,
      crumbs: [{ label: 'Event types', href: `${base}/catalog` }],
      indexing: { canonical: typePath(value.name), isIndexed: value.words >= catalog.thinWords },
      body: typePage({ type: value, successor: await successorOf(catalog, value), base, origin }),
    });
  },
});

async function successorOf(catalog: Catalog, { deprecation }: EventTypeSummary): Promise<string | undefined> {
  const name = deprecation?.successor ?? null;
  if (name === null) return undefined;
  const found = await catalog.type(name);
  if (found.kind === 'moved') return found.to;
  return found.kind === 'found' ? found.value.name : undefined;
}

/** `/catalog/{type}/v/{n}` */
const version = catalogPage({
  path: '/catalog/:type/v/:version',
  title: 'Version',
  query: ['name'],
  async answer({ catalog, params, query, base }) {
    const number = versionOf(params.version);
    if (number === undefined) return problem(404);
    const found = await findTarget(catalog, { params, query });
    if ('refusal' in found) return found.refusal;
    const { type: value, movedBy } = found;
    // A merged type has no versions of its own any more: its page is that of the other type.
    if (movedBy === 'merged') return moved(typePath(value.name));
    const shown = await catalog.version(value, number);
    if (shown === undefined) return problem(404);
    if (movedBy !== undefined) return moved(versionPath(value.name, number));
    const texts = [value.description, shown.notes, ...(shown.fields ?? []).map(({ description }) => description)];
    return page({
      title: `${value.name}, version ${number}`,
      crumbs: [
        { label: 'Event types', href: `${base}/catalog` },
        { label: value.name, href: base + typePath(value.name) },
      ],
      indexing: { canonical: typePath(value.name), isIndexed: countWords(texts) >= catalog.thinWords },
      body: versionPage(value, shown, catalogLinks(base)),
    });
  },
});

/** `/catalog/changes`: what became of the types, newest first. */
const changes = catalogPage({
  path: '/catalog/changes',
  title: 'Changes',
  query: ['cursor'],
  async answer({ catalog, query, base }) {
    const cursor = query.get('cursor') ?? undefined;
    const listed = await catalog.changes(cursor);
    if (listed === undefined) return problem(cursor === undefined ? 404 : 400);
    if (listed.changes.length === 0) return problem(404, { explanation: 'There are no changes.' });
    const live = new Set((await catalog.types()).map(({ name }) => name));
    const next = listed.next === undefined ? undefined : new URLSearchParams({ cursor: listed.next });
    return page({
      title: 'Changes',
      crumbs: [{ label: 'Event types', href: `${base}/catalog` }],
      indexing: {
        canonical: withQuery('/catalog/changes', { cursor }),
        isIndexed: cursor === undefined && countWords(wordsOfChanges(listed.changes)) >= catalog.thinWords,
      },
      body: html`${changeList(listed.changes, { live, base })}
${pager({ href: `${base}/catalog/changes`, next, prev: undefined, words: { prev: 'Newer', next: 'Older' } })}`,
    });
  },
});

/** `/catalog/groups/{prefix}`: the types whose names begin with it and a dot. */
const group = catalogPage({
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

const maxLength = 200;
const mostShown = 100;

/** `/catalog/search?q=`: the form is in the header of every page, and keeps what was searched for. */
const search = catalogPage({
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

export const catalogPages = [
  ...[types, search, changes, group, verify],
  ...[type, version, schemaJson, exampleJson],
  ...[sitemap, robots],
];
