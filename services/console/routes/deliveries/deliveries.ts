import { html, type Html } from '#lib/html';
import { listOnwards } from '../../api-calls/list-onwards.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { readTenantNames, type TenantNames } from '../../api-calls/tenant-names.ts';
import { page } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { listPage, listParameters } from '../../pages/list-page.ts';
import { breakable } from '../../parts/breakable.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import { count } from '../../parts/count.ts';
import { filterForm } from '../../parts/filter-form.ts';
import { minute } from '../../parts/minute.ts';
import { endpointName } from '../../parts/named-link.ts';
import { outcomeBadge } from '../../parts/outcome.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import type { Column } from '../../parts/table.ts';
import type { Delivery } from './delivery.ts';
import { deliveryFilterNames, deliveryFilters, noNames } from './delivery-filters.ts';

/** `T/deliveries`: what is sent to which endpoint, newest first. */
export const deliveries = tenantPage({
  path: '/deliveries',
  title: 'Deliveries',
  section: 'deliveries',
  get: {
    capability: 'view',
    query: listParameters(deliveryFilters(noNames, new URLSearchParams()), 'order'),
    async answer(context) {
      const { t, tenant, api, query, isCustomer } = context;
      const [listed, names] = await Promise.all([
        listOnwards<Delivery>(api, '/deliveries', query),
        readTenantNames(context),
      ]);
      const filters = deliveryFilters(names, query);
      const href = `${t}/deliveries`;
      if (listed.ok && listed.items.length === 0 && listed.next !== undefined)
        return page({ body: html`${filterForm({ action: href, filters, query })}${notYet(href, listed.next)}` });
      const isAny = listed.ok && listed.items.length > 0;
      return listPage<Delivery>(context, {
        title: 'Deliveries',
        href,
        listed,
        filters,
        actions: isAny ? bulkActions(context) : null,
        above: isAny ? orderLink(href, query) : null,
        row: ({ id }) => `${t}/deliveries/${id}`,
        columns: deliveryColumns({ t, names }),
        ...(query.get('order') === 'asc' ? {} : { pagerWords: { prev: 'Newer', next: 'Older' } }),
        empty: {
          title: 'No delivery yet',
          body: isCustomer
            ? 'A delivery is one event for one endpoint. It is here as soon as an event came that an endpoint subscribes to.'
            : html`A delivery is one event for one endpoint. Create an <a href="${t}/endpoints/new">endpoint</a>, then publish an event or receive a webhook: each shows up among the <a href="${t}/events">events</a> first.`,
          ...(!isCustomer && {
            command: cliCommand(`events publish --type order.paid --payload '{"order":"1042"}'`, tenant),
          }),
        },
      });
    },
  },
});

/** @param isOfEndpoint its name stands above the list */
export const deliveryColumns = (
  naming: { t: string; names: TenantNames },
  isOfEndpoint = false,
): readonly Column<Delivery>[] => [
  { header: 'Created', cell: ({ created_at: createdAt }) => minute(createdAt) },
  ...(isOfEndpoint ? [] : [{ header: 'Endpoint', cell: ({ endpoint_id: id }: Delivery) => endpointName(id, naming) }]),
  {
    header: 'Event type',
    cell: ({ event_type: type }) => (type === null ? 'erased' : html`<bdi>${breakable(type)}</bdi>`),
  },
  { header: 'Status', cell: ({ status }) => statusBadge(status) },
  { header: 'Attempts', isNumber: true, cell: ({ attempts }) => count(attempts) },
  {
    header: 'Last outcome',
    cell: ({ last_outcome: outcome, last_http_status: httpStatus }) => outcomeBadge({ outcome, httpStatus }),
  },
  { header: 'Next attempt', cell: ({ next_attempt_at: next }) => minute(next) },
];

/** The same list in the other direction, from its beginning. */
function orderLink(href: string, query: URLSearchParams): Html {
  const isOldest = query.get('order') === 'asc';
  const other = new URLSearchParams([...query].filter(([name]) => deliveryFilterNames.includes(name)));
  if (!isOldest) other.set('order', 'asc');
  return html`<p class="muted">${isOldest ? 'Oldest' : 'Newest'} first · <a href="${withQuery(href, other)}">${isOldest ? 'newest' : 'oldest'} first</a></p>`;
}

/** The same filters begin a preview of what would be retried, or cancelled. */
function bulkActions({ t, query, can }: TenantContext): Html {
  const chosen = deliveryFilterNames.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  const href = (what: string): string =>
    withQuery(`${t}/replays/new`, new URLSearchParams([['what', what], ...chosen]));
  const which = chosen.length === 0 ? 'all' : 'these';
  return html`${can('write', 'replay') && html`<a class="button" href="${href('retry')}">Retry ${which} …</a>`}${can('write') && html`<a class="button" href="${href('cancel')}">Cancel ${which} …</a>`}`;
}

const notYet = (href: string, next: URLSearchParams): Html =>
  html`<div class="empty"><h2>Nothing found so far</h2><p>No delivery so far matches all filters. More deliveries remain.</p>
<p><a class="button" href="${withQuery(href, next)}">Look at the next ones</a></p></div>`;
