import type { Tenant, Event } from '#lib/api-contract';
import { eventStatuses } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { Listed } from '../api-calls/console-api.ts';
import { page, type PageResult } from '../page-result.ts';
import type { TenantContext } from '../page.ts';
import { tenantsInUse } from '../tenants/index.ts';
import { wrongParameters } from '../ui/list-page.ts';
import { type Column, emptyState, type Filter, filterForm, pager, table } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { cliCommand, count, shortId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { eventHref, type Source, sourceName, sourceOptions } from './names.ts';
import { type ListedEvent, isErased } from './read.ts';

export const hasFilter: Filter = {
  kind: 'checks',
  name: 'has',
  label: 'Has',
  options: [
    { value: 'duplicates', label: 'duplicates' },
    { value: 'changed', label: 'changed duplicates' },
    { value: 'dead_letters', label: 'dead letters' },
  ],
};

/** The filters of `GET /v1/events`, by the names that the API has for them. @param sources undefined: they are not told of */
export const eventFilters = (
  sources: readonly Source[] | undefined,
  query = new URLSearchParams(),
): readonly Filter[] => [
  { kind: 'text', name: 'type', label: 'Type', placeholder: 'invoice.paid' },
  ...(sources === undefined
    ? []
    : [
        {
          kind: 'choice' as const,
          name: 'source_id',
          label: 'Source',
          options: sourceOptions(sources, query.get('source_id')),
        },
      ]),
  { kind: 'choice', name: 'status', label: 'Status', options: eventStatuses },
  { kind: 'time', name: 'received_since', label: 'From' },
  { kind: 'time', name: 'received_until', label: 'Until' },
  { kind: 'text', name: 'tag', label: 'Tag', placeholder: 'customer:cus_9', isRepeated: true, isRare: true },
  { kind: 'text', name: 'event_id', label: 'Sender’s id', isRare: true },
  { kind: 'text', name: 'endpoint_id', label: 'Endpoint', placeholder: 'ep_…', isRare: true },
  { kind: 'text', name: 'ordering_key', label: 'Ordering key', isRare: true },
  { kind: 'text', name: 'receipt_id', label: 'Receipt', placeholder: 'rcp_…', isRare: true },
  { kind: 'text', name: 'trace_id', label: 'Trace', placeholder: '32 hexadecimal digits', isRare: true },
  { ...hasFilter, isRare: true },
];

export const eventFilterNames: readonly string[] = eventFilters([]).map(({ name }) => name);

/** The filters of a request, without its position. */
export const filtersIn = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...query].filter(([name]) => eventFilterNames.includes(name)));

/** The columns of lists of events. A script finds the event of a row by its link. @param sources undefined: they are not told of */
export const eventColumns = (sources: readonly Source[] | undefined): readonly Column<ListedEvent>[] => [
  { header: 'Received', cell: ({ received_at }) => time(received_at) },
  { header: 'Type', cell: unlessErased(({ type }) => html`<bdi class="event-type">${type}</bdi>`) },
  { header: 'Status', cell: ({ status }) => statusBadge(status) },
  { header: 'Delivered', cell: unlessErased(delivered) },
  ...(sources === undefined
    ? []
    : [{ header: 'Source', cell: unlessErased(({ source_id }) => sourceName(source_id, sources)) }]),
  { header: 'Duplicates', cell: unlessErased(duplicates) },
  { header: 'Id', cell: ({ id }) => shortId(id) },
];

const unlessErased = (cell: (event: Event) => Html | string) => (event: ListedEvent) =>
  isErased(event) ? '–' : cell(event);

function delivered({ deliveries, status }: Event): string {
  const all = Object.values(deliveries).reduce((sum, some) => sum + some, 0);
  if (all === 0) return status === 'received' ? '–' : 'no endpoint';
  return `${deliveries.delivered} of ${all}`;
}

function duplicates({ duplicates: all, duplicates_changed: changed }: Event): string {
  if (all === 0) return '–';
  return changed === 0 ? count(all) : `${count(all)}, ${changed === all ? '' : `${count(changed)} `}changed`;
}

/** The next step where no event has come yet: a command that works. */
function firstEvent({ t, tenant, can }: TenantContext, [source]: readonly Source[]): Parameters<typeof emptyState>[0] {
  const title = 'No event yet';
  const actions = html`<div class="buttons">${can('publish') && html`<a class="button primary" href="${t}/events/new">Publish an event</a>`}
<a class="button" href="${t}/sources">${source === undefined ? 'Create a source' : 'See the sources'}</a></div>`;
  if (source === undefined)
    return {
      title,
      body: 'Webhooks arrive through a source, which has the address for their provider. Or publish an event of your own: it is sent to every endpoint that subscribes to its type.',
      command: cliCommand(`events publish --type order.paid --payload '{"order":"A-1"}'`, tenant),
      actions,
    };
  return {
    title,
    body: html`Give the provider the address of <bdi>${source.name}</bdi>: <code>${source.ingest_url}</code>. Or send a webhook to it yourself, signed as the provider would:`,
    command: cliCommand(`send ${source.id} --secret '…'`, tenant),
    actions,
  };
}

/**
 * The rows, and what islands/live-events.ts needs to add to them. Without a script it is the table alone, and so it is on a page that is not the
 * newest. An empty list has its table too, not shown, for the first event that comes.
 */
function liveList(
  { t, query }: TenantContext,
  { items: events, next, header }: Extract<Listed<ListedEvent>, { ok: true }>,
  sources: readonly Source[] | undefined,
): Html {
  const rows = table({ caption: 'Events', columns: eventColumns(sources), rows: events, href: eventHref(t) });
  const cursor = query.has('page') ? undefined : header('hookline-cursor');
  if (cursor === undefined) return rows;
  const filters = filtersIn(query);
  const isFollowing = query.has('live');
  const other = withQuery(withQuery(`${t}/events`, filters), { live: isFollowing ? undefined : '1' });
  return html`<live-events data-from="${withQuery(`${t}/live/events`, filters)}" data-cursor="${cursor}"${isFollowing && html` data-follows`}${next !== undefined && html` data-has-older`}>
<div class="live-bar" hidden><span role="status"></span><button type="button" class="live-new" hidden></button><a class="live-switch" data-key="l" href="${other}">${isFollowing ? 'Stop following' : 'Follow'}</a></div>
<div class="live-rows"${events.length === 0 && html` hidden`}>${rows}</div></live-events>`;
}

/** Parameters of the address that do not choose among the events. */
const choosesNothing = ['limit', 'live'];

/**
 * The list of events. An API page may be empty and still have a next one: then nothing was found among those that were looked at, which is not
 * the same as nothing.
 *
 * @param sources undefined for customers. @param inUse other tenants to look at, where this one is empty
 */
export function eventsPage(
  context: TenantContext,
  listed: Listed<ListedEvent>,
  sources: readonly Source[] | undefined,
  inUse: readonly Tenant[],
): PageResult {
  const { base, t, query, can, isCustomer } = context;
  const href = `${t}/events`;
  const filters = filtersIn(query);
  const errors = listed.ok ? [] : listed.errors;
  const fields = eventFilters(sources, query);
  const form = filterForm({ action: href, filters: fields, query, errors });
  const content = {
    actions: html`${can('write', 'replay') && listed.ok && listed.items.length > 0 && replayThese(t, filters)}
${!isCustomer && html`<a class="button" href="${withQuery(`${href}/search`, filters)}">Search payloads</a>`}
${can('publish') && html`<a class="button primary" href="${href}/new">Publish an event</a>`}`,
    islands: ['live-events'],
  };
  if (!listed.ok) return page({ ...content, status: 400, body: html`${form}${wrongParameters(errors, fields)}` });

  const { items: events, next, prev } = listed;
  const rows = liveList(context, listed, sources);
  const pages = pager({
    href,
    next: withoutOrder(next),
    prev: withoutOrder(prev),
    words: { prev: 'Newer', next: 'Older' },
  });
  if (events.length > 0) return page({ ...content, body: html`${form}${rows}${pages}` });
  if (next !== undefined) return page({ ...content, body: html`${form}${notFoundYet}${rows}${pages}` });
  const isNarrowed = [...query.keys()].some((name) => !choosesNothing.includes(name));
  if (isNarrowed) return page({ ...content, status: 404, body: html`${form}${nothingMatches(href)}${rows}` });
  const howToBegin = emptyState(sources === undefined ? noEventYet : firstEvent(context, sources));
  return page({ ...content, body: html`${tenantsInUse(base, inUse)}${howToBegin}${rows}` });
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

const replayThese = (t: string, filters: URLSearchParams): Html =>
  html`<a class="button" href="${withQuery(`${t}/replays/new?what=events`, filters)}">Replay ${filters.size === 0 ? 'events' : 'these'} …</a>`;

const notFoundYet = html`<div class="empty"><h2>Nothing found yet</h2><p>No event so far matches all filters. Older events have not been searched yet: continue with “Older”, or give a time in “From” and “Until”.</p></div>`;

const nothingMatches = (href: string): Html =>
  html`<div class="empty"><h2>Nothing matches</h2><p>No event matches all filters. Change a filter, or <a href="${href}">see all</a>.</p></div>`;
