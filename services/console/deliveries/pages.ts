import type { ApiFailure } from '#client';
import type { Delivery } from '#lib/api-contract';
import { deliveryStatuses } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { listOnwards, withQuery } from '../api-calls/calls.ts';
import { noNames, readTenantNames, type TenantNames } from '../api-calls/tenant-names.ts';
import { afterChange } from '../after-change.ts';
import { page, type PageResult, problem } from '../page-result.ts';
import { type Page, type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { crumbsTo } from '../sections.ts';
import { postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { type Column, type Filter, filterForm } from '../ui/lists.ts';
import { outcomeBadge, outcomeOptions, statusBadge } from '../ui/status.ts';
import { breakable, cliCommand, count, endpointName, endpointOptions, wholeId } from '../ui/text.ts';
import { minute } from '../ui/times.ts';
import { attemptPage } from './attempt-views.ts';
import { isOpen, readAttempt, readDelivery } from './read.ts';
import { deliveryPage } from './views.ts';

/** The filters of the list; they choose what is retried or cancelled, too. */
const deliveryFilters = (names: TenantNames, query: URLSearchParams): readonly Filter[] => [
  { kind: 'choice', name: 'endpoint_id', label: 'Endpoint', options: endpointOptions(names, query.get('endpoint_id')) },
  { kind: 'choice', name: 'status', label: 'Status', options: deliveryStatuses },
  { kind: 'text', name: 'event_type', label: 'Event type', placeholder: 'invoice.paid' },
  { kind: 'choice', name: 'outcome', label: 'Last outcome', options: outcomeOptions },
  { kind: 'text', name: 'http_status', label: 'HTTP status', placeholder: '503' },
  { kind: 'time', name: 'since', label: 'From' },
  { kind: 'time', name: 'until', label: 'Until' },
];

const anyFilters = deliveryFilters(noNames, new URLSearchParams());
const filterNames = anyFilters.map(({ name }) => name);

/** `T/deliveries`: what is sent to which endpoint, newest first. */
const deliveries = tenantPage({
  path: '/deliveries',
  title: 'Deliveries',
  section: 'deliveries',
  get: {
    capability: 'view',
    query: listParameters(anyFilters, 'order'),
    async answer(context) {
      const { t, tenant, api, query, isCustomer } = context;
      const [listed, names] = await Promise.all([
        listOnwards((parameters) => api.list('GET /v1/deliveries', { query: parameters }), query),
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
  const other = new URLSearchParams([...query].filter(([name]) => filterNames.includes(name)));
  if (!isOldest) other.set('order', 'asc');
  return html`<p class="muted">${isOldest ? 'Oldest' : 'Newest'} first · <a href="${withQuery(href, other)}">${isOldest ? 'newest' : 'oldest'} first</a></p>`;
}

/** The same filters begin a preview of what would be retried, or cancelled. */
function bulkActions({ t, query, can }: TenantContext): Html {
  const chosen = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? undefined]));
  const href = (what: string): string => withQuery(`${t}/replays/new`, { what, ...chosen });
  const which = filterNames.some((name) => query.has(name)) ? 'these' : 'all';
  return html`${can('write', 'replay') && html`<a class="button" href="${href('retry')}">Retry ${which} …</a>`}${can('write') && html`<a class="button" href="${href('cancel')}">Cancel ${which} …</a>`}`;
}

const notYet = (href: string, next: URLSearchParams): Html =>
  html`<div class="empty"><h2>Nothing found so far</h2><p>No delivery so far matches all filters. More deliveries remain.</p>
<p><a class="button" href="${withQuery(href, next)}">Look at the next ones</a></p></div>`;

/** `T/deliveries/:id` */
const delivery = tenantPage({
  path: '/deliveries/:id',
  title: 'Delivery',
  section: 'deliveries',
  get: { capability: 'view', query: ['cursor', 'limit'], answer: (context) => showDelivery(context) },
});

/** @param refused why what was asked for is not possible now, as a sentence */
async function showDelivery(context: TenantContext<'/:id'>, refused?: string): Promise<PageResult> {
  const { t, params, clock, query, isCustomer } = context;
  const shown = await readDelivery(context, params.id, query);
  if (!shown.ok) return problem(400, { errors: shown.errors });
  const type = typeOf(shown.delivery);
  return page({
    ...(refused !== undefined && { status: 409 }),
    title: `Delivery of ${type}`,
    heading: html`Delivery of <bdi>${type}</bdi>`,
    subtitle: wholeId(shown.delivery.id),
    crumbs: crumbsTo(t, 'deliveries'),
    actions: actions(context, shown.delivery),
    body: html`${refused !== undefined && html`<p class="note note-bad" role="alert">${refused}</p>`}${deliveryPage(shown, { t, isCustomer, nowMs: clock.nowMs() })}`,
  });
}

const typeOf = ({ event_type: type }: Delivery): string => type ?? 'an erased event';

function actions(context: TenantContext, delivery: Delivery): Html {
  const { t, can } = context;
  const at = (what: string): string => `${t}/deliveries/${delivery.id}/${what}`;
  const retry = (submit: string): Html | false =>
    can('write', 'replay') && postForm(context, { action: at('retry'), submit, isInline: true });
  if (delivery.status === 'dead_lettered') return html`${retry('Replay it')}`;
  if (!isOpen(delivery)) return html``;
  return html`${retry('Send now')}${can('write') && postForm(context, { action: at('cancel'), submit: 'Cancel', tone: 'danger', isInline: true })}`;
}

/** `T/deliveries/:id/attempts/:n` */
const attempt = tenantPage({
  path: '/deliveries/:id/attempts/:n',
  title: 'Attempt',
  section: 'deliveries',
  get: {
    capability: 'view',
    async answer({ api, params, t, isCustomer }) {
      const { id, n } = params;
      if (!/^[1-9]\d{0,5}$/.test(n)) return problem(404);
      const number = Number(n);
      const [delivery, found] = await Promise.all([
        api.call('GET /v1/deliveries/:id', { params: { id } }),
        readAttempt(api, id, number),
      ]);
      if (found === undefined)
        return number <= delivery.attempts ? problem(410, { explanation: keptNoLonger }) : problem(404);
      return page({
        title: `Attempt ${number} of ${typeOf(delivery)}`,
        heading: html`Attempt ${number} <span class="muted">of ${delivery.attempts}</span>`,
        subtitle: wholeId(delivery.id),
        crumbs: crumbsTo(t, 'deliveries', {
          label: `Delivery of ${typeOf(delivery)}`,
          href: `${t}/deliveries/${delivery.id}`,
        }),
        actions: beside(delivery, number, { t, isCustomer }),
        body: attemptPage(found, delivery, { t, isCustomer }),
      });
    },
  },
});

const keptNoLonger =
  'This attempt was made, but its request and answer have been removed: they are kept as long as payloads.';

function beside(
  { id, attempts }: Delivery,
  number: number,
  { t, isCustomer }: Pick<TenantContext, 't' | 'isCustomer'>,
): Html {
  const at = (n: number): string => `${t}/deliveries/${id}/attempts/${n}`;
  return html`${number > 1 && html`<a class="button" rel="prev" href="${at(number - 1)}">‹ Attempt ${number - 1}</a>`}
${number < attempts && html`<a class="button" rel="next" href="${at(number + 1)}">Attempt ${number + 1} ›</a>`}
${number > 1 && !isCustomer && html`<a class="button" href="${t}/compare?a=${id}:${number - 1}&amp;b=${id}:${number}">Compare to attempt ${number - 1}</a>`}`;
}

/** The actions on one delivery. One that is not possible now is a sentence on its page. */

/** `T/deliveries/:id/retry`: one that waits is sent now; of one that is dead, its dead letter is replayed. */
const retryDelivery = tenantPage({
  path: '/deliveries/:id/retry',
  title: 'Delivery',
  section: 'deliveries',
  post: {
    capability: 'replay',
    answer: (context) =>
      afterChange(
        context.api.change('POST /v1/deliveries/:id/retry', { params: context.params }),
        // A delivery, or the replay of its dead letter.
        ({ id }) => (id.startsWith('rpl_') ? `${context.t}/replays/${id}` : deliveryHref(context)),
        (failure) => refusal(context, failure),
      ),
  },
});

/** `T/deliveries/:id/cancel` */
const cancelDelivery = tenantPage({
  path: '/deliveries/:id/cancel',
  title: 'Delivery',
  section: 'deliveries',
  post: {
    answer: (context) =>
      afterChange(
        context.api.change('POST /v1/deliveries/:id/cancel', { params: context.params }),
        () => deliveryHref(context),
        (failure) => refusal(context, failure),
      ),
  },
});

const deliveryHref = ({ t, params }: TenantContext<'/:id'>): string => `${t}/deliveries/${params.id}`;

async function refusal(context: TenantContext<'/:id'>, failure: ApiFailure): Promise<PageResult> {
  if (failure.kind !== 'problem' || failure.status !== 409) return problemOfFailure(failure);
  const { detail = 'That is not possible now' } = failure.problem;
  const [, ended] = /^The delivery is (delivered|cancelled)$/.exec(detail) ?? [];
  return showDelivery(context, ended === undefined ? `${detail}.` : `It was ${ended} already.`);
}

/** `T/deliveries`, and what is below it. */
export const deliveryPages: readonly Page[] = [deliveries, delivery, attempt, retryDelivery, cancelDelivery];
