import type { Endpoint, ErasedEvent, Erasure, TenantDeletion, Event } from '#lib/api-contract';
import { maxPayloadText } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { Payload } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { page, type PageResult } from '../page-result.ts';
import type { TenantContext } from '../page.ts';
import { crumbsTo } from '../ui/crumbs.ts';
import { enteredIn } from '../ui/entered.ts';
import { errorSummary, postForm, selectField, textArea, textField } from '../ui/form.ts';
import { table } from '../ui/lists.ts';
import { payloadFacts, type PayloadText, payloadView } from '../ui/payload.ts';
import { statusBadge } from '../ui/status.ts';
import { count, definitions, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { eventHref } from './names.ts';

/** All of the largest payload, where it is in lines already. */
const maxCharacters = 2 * 1024 * 1024;

/** The way back to an event. */
const crumbsOf = (id: string, t: string) => crumbsTo(t, 'events', { label: id, href: eventHref(t)({ id }) });

export function payloadPage(
  id: string,
  { t, payload, text }: { t: string; payload: Payload; text: PayloadText },
): PageResult {
  const href = eventHref(t)({ id });
  return page({
    subtitle: html`${payloadFacts(payload)}`,
    crumbs: crumbsOf(id, t),
    actions: html`<a class="button" href="${href}/payload?raw=1">Raw</a><a class="button" href="${href}/payload?download=1">Download</a>`,
    body: payloadView({ payload, text, maxCharacters }),
  });
}

/** The form of an event of one's own. After a refusal: as it was sent, with what is wrong. */
export function publishPage(
  context: TenantContext,
  values = new URLSearchParams(),
  errors: readonly FieldError[] = [],
): PageResult {
  const { t } = context;
  const entered = enteredIn(values, errors);
  return page({
    status: errors.length > 0 ? 400 : 200,
    crumbs: crumbsTo(t, 'events'),
    body: html`${errorSummary(errors)}
<p class="lead">An event of your own goes to every endpoint that subscribes to its type, like one that a provider sent.</p>
${postForm(context, {
  action: `${t}/events/new`,
  submit: 'Publish',
  body: html`${textField({ ...entered('type'), label: 'Type', hint: 'Such as order.paid.', isRequired: true })}
${textArea({ ...entered('payload', '{}'), label: 'Payload', hint: `Any JSON, up to ${maxPayloadText}. It is sent as it is written here.`, rows: 10, isRequired: true })}
${textField({ ...entered('event_id'), label: 'Your id', hint: 'Optional. Published again within 72 hours, it is the same event.' })}
${textField({ ...entered('ordering_key'), label: 'Ordering key', hint: 'Optional. Events with the same key stay in order.' })}
${textArea({ ...entered('tags'), label: 'Tags', hint: 'Optional. Up to five tags to find the event by, one a line: customer:cus_9', rows: 3 })}`,
})}`,
  });
}

interface ReplayOfEvent {
  event: Event;
  /** Undefined: too many to choose from. */
  endpoints: readonly Pick<Endpoint, 'id' | 'url'>[] | undefined;
  endpointId: string | null;
  errors: readonly FieldError[];
}

export function replayEventPage(
  context: TenantContext,
  { event, endpoints, endpointId, errors }: ReplayOfEvent,
): PageResult {
  const common = { name: 'endpoint_id', label: 'Send to', value: endpointId ?? '', errors };
  return page({
    status: errors.length > 0 ? 400 : 200,
    crumbs: crumbsOf(event.id, context.t),
    body: html`${errorSummary(errors)}
<p class="lead"><bdi>${event.type}</bdi>, received ${time(event.received_at)}, is sent again with the same payload and id. Receivers that have taken it get it once more: they know it by its id.</p>
${postForm(context, {
  action: `${eventHref(context.t)(event)}/replay`,
  submit: 'Start replay',
  body:
    endpoints === undefined
      ? textField({ ...common, hint: `The id of an endpoint. Empty: all endpoints that match it today.` })
      : selectField({
          ...common,
          options: [
            { value: '', label: 'All that match it today' },
            ...endpoints.map(({ id, url }) => ({ value: id, label: `${url} alone` })),
          ],
        }),
})}`,
  });
}

export function eraseEventPage(context: TenantContext, event: Event): PageResult {
  const href = eventHref(context.t)(event);
  return page({
    title: 'Erase this event?',
    crumbs: crumbsOf(event.id, context.t),
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
export const erasurePage = (erasure: Erasure | TenantDeletion, t: string): PageResult =>
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
