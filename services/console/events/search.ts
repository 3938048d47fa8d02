import { ApiError } from '#client';
import type { EventSearch } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { page, type PageResult } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { textArea } from '../ui/form.ts';
import { filterForm, table } from '../ui/lists.ts';
import { plural } from '../ui/text.ts';
import { eventColumns, eventFilterNames, eventFilters, filtersIn } from './list-views.ts';
import { eventHref, type Source } from './names.ts';
import { namedSources } from './read.ts';

type Asking = Pick<TenantContext, 't' | 'query'>;

interface Searched {
  found?: EventSearch;
  errors?: readonly FieldError[];
}

/**
 * A search is bounded, so it says how far it has looked. Only one that has looked at every event may say that there is nothing: that is the 404.
 */
function searchPage(
  { t, query }: Asking,
  sources: readonly Source[],
  { found, errors = [] }: Searched = {},
): PageResult {
  const crumbs = crumbsTo(t, 'events');
  // The same form as that of the list, with the payload's filter above its fields.
  const form = filterForm({
    action: `${t}/events/search`,
    filters: eventFilters(sources, query).map((filter) => ({ ...filter, isRare: true })),
    query,
    errors,
    submit: 'Search',
    above: textArea({
      name: 'filter',
      label: 'Payload',
      hint: 'A filter in the form that endpoints use, as JSON. The newest events are searched first.',
      rows: 3,
      value: query.get('filter') ?? '',
      isRequired: true,
      errors: errors.map(({ field, message }) => ({ field, message: `${field.replace(/^filter/, '')} ${message}` })),
    }),
  });
  if (errors.length > 0) return page({ crumbs, status: 400, body: form });
  if (found === undefined) return page({ crumbs, body: html`${form}${howTo}` });
  const { matched, complete } = found;
  const rows =
    matched.length > 0 &&
    table({ caption: 'Events found', columns: eventColumns(sources), rows: matched, href: eventHref(t) });
  return page({
    crumbs,
    status: complete && matched.length === 0 ? 404 : 200,
    body: html`${form}${howFar({ t, query }, found)}${rows}`,
  });
}

const operatorNames = 'eq ne gt gte lt lte in nin all size exists not elemMatch and or nor'.split(' ');
const operators = operatorNames.map((name, index) => html`${index === 0 ? '' : ', '}<code>$${name}</code>`);

const howTo = html`<div class="note"><p>A path and a value, such as <code>{"data.amount": {"$gt": 1000}}</code>; operators are ${operators}. A search reads payloads for at most two seconds, and says how far it has come.</p></div>`;

function howFar({ t, query }: Asking, { matched, scanned, complete, cursor, unjudged }: EventSearch): Html {
  const older = new URLSearchParams([['filter', query.get('filter') ?? ''], ...filtersIn(query)]);
  if (cursor !== null) older.set('cursor', cursor);
  const nothing = query.has('cursor') ? 'No older event matches' : 'No event matches';
  const heading = matched.length > 0 ? plural(matched.length, 'event') : complete ? nothing : 'Nothing found yet';
  const looked = `${plural(scanned, 'payload was', 'payloads were')} looked at`;
  const rest = complete ? ', and there are no older events.' : '. Older events have not been looked at.';
  return html`<div class="note search-result" role="status"><h2>${heading}</h2><p>${looked}${rest}</p>
${notSearched(unjudged).map((line) => html`<p>${line}</p>`)}
${cursor !== null && html`<p><a class="button" href="${withQuery(`${t}/events/search`, older)}">Search older</a></p>`}</div>`;
}

function notSearched({ payload_removed, payload, filter_steps }: EventSearch['unjudged']): string[] {
  const reasons = [
    [payload_removed, 'the payload has been removed'],
    [payload, 'the payload is too large or too deep'],
    [filter_steps, 'the filter is too expensive for the payload'],
  ] as const;
  return reasons
    .filter(([n]) => n > 0)
    .map(([n, reason]) => `${plural(n, 'event')} could not be searched, because ${reason}.`);
}

const matchesPerPage = '50';

/** `T/events/search`: events by what is in their payloads. `cursor`: goes on behind what was looked at. */
export const searchEvents = tenantPage({
  path: '/events/search',
  title: 'Search payloads',
  section: 'events',
  get: {
    query: ['filter', ...eventFilterNames, 'cursor'],
    async answer(context) {
      const { api, query } = context;
      const sources = await namedSources(api);
      const filter = query.get('filter');
      if (filter === null) return searchPage(context, sources);
      const asked = new URLSearchParams([['filter', filter], ...filtersIn(query), ['limit', matchesPerPage]]);
      const cursor = query.get('cursor');
      if (cursor !== null) asked.set('cursor', cursor);
      const found = await api.ask('GET /v1/events/search', { query: asked });
      if (found.ok) return searchPage(context, sources, { found: found.value });
      const { failure } = found;
      if (failure.kind !== 'problem' || failure.status !== 400) throw new ApiError(failure);
      const errors = failure.problem.errors ?? [{ field: 'filter', message: failure.problem.detail ?? 'is not valid' }];
      return searchPage(context, sources, { errors });
    },
  },
});
