import { html, type Html } from '#lib/html';
import type { Listed } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { page, type PageResult } from '../../page-result.ts';
import type { TenantContext } from '../../page.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { filterForm } from '../../parts/filter-form.ts';
import { pager } from '../../parts/pager.ts';
import type { Event } from '../../routes/events/event.ts';
import type { Tenant } from '../../routes/operator/tenant.ts';
import { tenantsInUse } from '../operator/tenants-in-use.ts';
import { eventFilters, filtersIn } from './event-filters.ts';
import { firstEvent } from './first-event.ts';
import { liveList } from './live-list.ts';
import type { Source } from './source-names.ts';

/** Parameters of the address that do not choose among the events. */
const choosesNothing = ['limit', 'live'];

interface EventsList {
  listed: Listed<Event>;
  /** Undefined for customers. */
  sources: readonly Source[] | undefined;
  /** Other tenants to look at, where this one is empty. */
  inUse: readonly Tenant[];
}

/**
 * The list of events. An API page may be empty and still have a next one: then nothing was found among those that were looked at, which is not
 * the same as nothing.
 */
export function eventsPage(context: TenantContext, { listed, sources, inUse }: EventsList): PageResult {
  const { base, t, tenant, query, can, isCustomer } = context;
  const href = `${t}/events`;
  const filters = filtersIn(query);
  const errors = listed.ok ? [] : listed.errors;
  const form = filterForm({ action: href, filters: eventFilters(sources, query), query, errors });
  const content = {
    title: 'Events',
    actions: html`${can('write', 'replay') && listed.ok && listed.items.length > 0 && replayThese(t, filters)}
${!isCustomer && html`<a class="button" href="${withQuery(`${href}/search`, filters)}">Search payloads</a>`}
${can('publish') && html`<a class="button primary" href="${href}/new">Publish an event</a>`}`,
    islands: ['live-events'],
  };
  if (!listed.ok) return page({ ...content, status: 400, body: html`${form}${wrongFilters(listed.errors, sources)}` });

  const { items: events, next, prev, header } = listed;
  const isNewest = !query.has('page');
  const rows = liveList({
    t,
    events,
    sources,
    cursor: isNewest ? header('hookline-cursor') : undefined,
    filters,
    isFollowing: query.has('live'),
    hasOlder: next !== undefined,
  });
  const pages = pager({
    href,
    next: withoutOrder(next),
    prev: withoutOrder(prev),
    words: { prev: 'Newer', next: 'Older' },
  });
  if (events.length > 0) return page({ ...content, body: html`${form}${rows}${pages}` });
  if (next !== undefined) return page({ ...content, body: html`${form}${notFoundYet}${rows}${pages}` });
  const isNarrowed = [...query.keys()].some((name) => !choosesNothing.includes(name));
  return isNarrowed
    ? page({ ...content, status: 404, body: html`${form}${nothingMatches(href)}${rows}` })
    : page({
        ...content,
        body: html`${tenantsInUse(base, inUse)}${emptyState(sources === undefined ? noEventYet : firstEvent({ t, tenant, sources, mayPublish: can('publish') }))}${rows}`,
      });
}

const noEventYet = {
  title: 'No event yet',
  body: 'Each event shows up here when it comes, with all that was sent to your endpoints.',
};

/** The page says in which order the API was asked, its address does not. */
function withoutOrder(parameters: URLSearchParams | undefined): URLSearchParams | undefined {
  parameters?.delete('order');
  return parameters;
}

const replayThese = (t: string, filters: URLSearchParams): Html => {
  const these = new URLSearchParams([['what', 'events'], ...filters]);
  return html`<a class="button" href="${withQuery(`${t}/replays/new`, these)}">Replay ${filters.size === 0 ? 'events' : 'these'} …</a>`;
};

const notFoundYet = html`<div class="empty"><h2>Nothing found yet</h2><p>No event so far matches all filters. Older events have not been searched yet: continue with “Older”, or give a time in “From” and “Until”.</p></div>`;

const nothingMatches = (href: string): Html =>
  html`<div class="empty"><h2>Nothing matches</h2><p>No event matches all filters. Change a filter, or <a href="${href}">see all</a>.</p></div>`;

/** The errors that no field of the form shows. */
function wrongFilters(
  errors: Extract<Listed<never>, { ok: false }>['errors'],
  sources: readonly Source[] | undefined,
): Html {
  const names = eventFilters(sources).map(({ name }) => name);
  const others = errors.filter(({ field }) => !names.includes(field));
  return html`<div class="empty"><h2>These filters are not valid</h2><p>Correct them, and filter again.</p>
${others.length > 0 && html`<ul>${others.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}</ul>`}</div>`;
}
