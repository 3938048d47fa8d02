import type { ErasedEvent, Erasure, TenantDeletion, Event } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { afterChange } from '../after-change.ts';
import { page, type PageResult } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { postForm } from '../ui/form.ts';
import { table } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { count, definitions, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { eventCrumbs, eventHref } from './names.ts';
import { isErased } from './read.ts';

/** `T/events/{id}/erase`: asks before it erases, and leads to the receipt. */
export const eraseEvent = tenantPage({
  path: '/events/:id/erase',
  title: 'Erase an event',
  section: 'events',
  get: {
    scope: 'admin',
    async answer(context) {
      const { api, params, t } = context;
      const event = await api.call('GET /v1/events/:id', { params });
      return isErased(event) ? erasedEventPage(event, t) : askErasure(context, event);
    },
  },
  post: {
    scope: 'admin',
    answer: ({ api, params, t }) =>
      afterChange(api.change('DELETE /v1/events/:id', { params }), ({ id }) => `${t}/erasures/${id}`),
  },
});

/** `T/erasures/{id}`: the receipt of an erasure. */
export const showErasure = tenantPage({
  path: '/erasures/:id',
  title: 'Erasure',
  section: 'events',
  get: {
    scope: 'admin',
    answer: async ({ api, params, t }) => erasurePage(await api.call('GET /v1/erasures/:id', { params }), t),
  },
});

function askErasure(context: TenantContext, event: Event): PageResult {
  const href = eventHref(context.t)(event);
  return page({
    title: 'Erase this event?',
    crumbs: eventCrumbs(context.t, event),
    body: html`<p class="lead"><bdi>${event.type}</bdi>, received ${time(event.received_at)}.</p>
<ul><li>Its type, payload, request, receipts, tags and attempts are removed at once. This can’t be undone.</li>
<li>Deliveries that are open are cancelled. What was sent stays with its receivers.</li>
<li>Kafka keeps bytes of it until the retention of its topics is over: the receipt says until when.</li></ul>
<div class="buttons">${postForm(context, { action: `${href}/erase`, submit: 'Erase the event', tone: 'danger', isInline: true })}
<a class="button quiet" href="${href}">Keep it</a></div>`,
  });
}

/** In place of every page of an event that was erased, until its days end. It has nothing of what the event held. */
export const erasedEventPage = ({ id, received_at, updated_at }: ErasedEvent, t: string): PageResult =>
  page({
    status: 410,
    title: 'Erased event',
    heading: html`Erased event ${statusBadge('erased')}`,
    subtitle: wholeId(id),
    crumbs: crumbsTo(t, 'events'),
    body: html`<p class="lead">This event was erased. Its type, payload, request and receipts are gone, and its open deliveries were cancelled.</p>
${definitions([
  ['Received', time(received_at)],
  ['Erased', time(updated_at)],
])}`,
  });

/** The receipt of an erasure: what was removed, and what Kafka keeps until when. */
const erasurePage = (erasure: Erasure | TenantDeletion, t: string): PageResult =>
  page({
    heading: html`Erasure ${statusBadge(erasure.status)}`,
    subtitle: wholeId(erasure.id),
    crumbs: crumbsTo(t, 'events'),
    body: html`${
      erasure.status === 'running' &&
      html`<p class="note">It runs, also when this page is closed. Reload the page to see how far it is.</p>`
    }
${definitions([
  'event_id' in erasure &&
    erasure.event_id !== null && [
      'Event',
      html`<a href="${eventHref(t)({ id: erasure.event_id })}"><code>${erasure.event_id}</code></a>`,
    ],
  'filtered_by' in erasure && erasure.filtered_by.length > 0 && ['Filtered by', erasure.filtered_by.join(', ')],
  ['Events erased', count(erasure.events)],
  ['Of those received by', time(erasure.as_of)],
  ['Begun', time(erasure.created_at)],
  ['Completed', time(erasure.completed_at, 'not yet')],
])}
<section class="part"><h2>Removed from the database</h2>${removedRows(erasure)}</section>
<section class="part"><h2>Kept by Kafka</h2>${keptByKafka(erasure)}</section>`,
  });

function removedRows({ removed }: Pick<Erasure, 'removed'>): Html {
  const rows = Object.entries(removed).filter(([, rowCount]) => rowCount > 0);
  return rows.length === 0
    ? html`<p class="note">No rows yet.</p>`
    : table({
        caption: 'Rows removed or emptied, by table',
        rows,
        columns: [
          { header: 'Table', cell: ([name]) => html`<code>${name}</code>` },
          { header: 'Rows', isNumber: true, cell: ([, rowCount]) => count(rowCount) },
        ],
      });
}

function keptByKafka({ kafka }: Pick<Erasure, 'kafka'>): Html {
  if (kafka === null) return html`<p class="note">Known once the erasure has completed.</p>`;
  return table({
    caption: 'Topics, and until when they keep bytes',
    rows: kafka,
    columns: [
      { header: 'Topic', cell: ({ topic }) => html`<code>${topic}</code>` },
      { header: 'Until', cell: ({ kept_until: until }) => time(until, 'for ever') },
    ],
  });
}
