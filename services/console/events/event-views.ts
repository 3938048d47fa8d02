import type { Delivery, EventMatch, EventRequest, EventWithPayload, Receipt } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { type Payload, withQuery } from '../api-calls/calls.ts';
import type { PageContent } from '../page-result.ts';
import type { TenantContext } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { type Column, table } from '../ui/lists.ts';
import { payloadFacts, type PayloadText, payloadView } from '../ui/payload.ts';
import { statusBadge } from '../ui/status.ts';
import { definitions, shortId, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { journey, type Journey, whyNot } from './explain-views.ts';
import { endpointName, eventHref, lastAnswer, reasonGiven, sourceLink, urlBeneath } from './names.ts';

const masked = '***';

/** The request that a webhook came with: headers in their order, spelled and repeated as the sender did. */
function requestView(request: EventRequest | undefined): Html {
  if (request === undefined) return html`<p class="note">The request has been removed: its retention time is over.</p>`;
  const { method, path, client_address: address, headers, truncated } = request;
  if (method === null || headers === null)
    return html`<p class="note">This event did not come by a request of a provider, or before requests were kept.</p>`;
  const isMasked = headers.some(({ value }) => value === masked) || path?.includes(masked) === true;
  const lines = [`${method} ${path ?? ''}`, ...headers.map(({ name, value }) => `${name}: ${value}`)];
  return html`${address !== null && html`<p class="muted">From <code>${address}</code></p>`}
<pre class="code" tabindex="0">${lines.join('\n')}</pre>
${isMasked && html`<p class="muted"><code>${masked}</code> stands for a value that may be a secret, such as a signature: it is not stored.</p>`}
${truncated && html`<p class="muted">There was more than is kept: 2,048 characters of the path, and 8 KiB of headers.</p>`}`;
}

function deliveriesTable({ t, deliveries, endpoints, answers }: Journey): Html {
  const isReplayed = deliveries.some(({ generation }) => generation > 0);
  return table({
    caption: 'Deliveries of this event',
    rows: deliveries,
    href: ({ id }) => `${t}/deliveries/${encodeURIComponent(id)}`,
    columns: [
      {
        header: 'Endpoint',
        cell: ({ endpoint_id: id }) => html`${endpointName(id, endpoints)}${urlBeneath(id, endpoints)}`,
      },
      { header: 'Status', cell: ({ status }) => statusBadge(status) },
      { header: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
      {
        header: 'Last answer',
        cell: (delivery) => html`<span>${lastAnswer(delivery)}${reasonGiven(delivery, answers)}</span>`,
      },
      ...(isReplayed ? [sentBy] : []),
      { header: 'Last change', cell: ({ updated_at: updatedAt }) => time(updatedAt) },
      { header: 'Id', cell: ({ id }) => shortId(id) },
    ],
  });
}

const sentBy: Column<Delivery> = {
  header: 'Sent by',
  cell: ({ generation }) => (generation === 0 ? 'fan-out' : `replay ${generation}`),
};

function receiptsTable(receipts: readonly Receipt[]): Html {
  if (receipts.length === 0)
    return html`<p class="note">The receipts have been removed: their retention time is over.</p>`;
  return table({
    caption: 'Receipts of this event',
    rows: receipts,
    columns: [
      { header: 'Received', cell: ({ received_at: receivedAt }) => time(receivedAt) },
      { header: 'As', cell: ({ kind }) => (kind === 'first' ? 'the event' : 'a duplicate') },
      {
        header: 'Body',
        cell: ({ kind, same_bytes: isSame }) =>
          kind === 'first' ? 'the payload' : isSame ? 'the same bytes' : statusBadge('changed', 'other bytes', 'warn'),
      },
      {
        header: 'From',
        cell: ({ client_address: address }) => (address === null ? 'unknown' : html`<code>${address}</code>`),
      },
      { header: 'Receipt', cell: ({ id }) => html`<code class="id whole-id">${id}</code>` },
    ],
  });
}

type Asking = Pick<TenantContext, 'can' | 'isCustomer'>;

interface ShownEvent extends Journey {
  event: EventWithPayload;
  /** Undefined: kept no longer. */
  payload: { payload: Payload; text: PayloadText } | undefined;
  request: EventRequest | undefined;
  /** More endpoints than one page of the API: where the next ones are. */
  moreMatches: string | undefined;
}

/** On this page; the payload has a page of its own. */
const maxPayloadCharacters = 20_000;

export function eventPage(shown: ShownEvent, asking: Asking): PageContent {
  const { t, event, deliveries, receipts, matches } = shown;
  const href = eventHref(t)(event);
  return {
    title: event.type,
    heading: html`<bdi class="event-type">${event.type}</bdi> ${statusBadge(event.status)}`,
    subtitle: wholeId(event.id),
    crumbs: crumbsTo(t, 'events'),
    actions: actionsOf(shown, asking, href),
    body: html`${facts(shown)}
${section('journey', 'Journey', journey(shown))}
${section('payload', 'Payload', payloadOf(shown, href))}
${section('request', 'Request as it came', requestView(shown.request))}
${section('deliveries', 'Deliveries', deliveries.length === 0 ? noDelivery(shown) : deliveriesTable(shown))}
${receipts !== undefined && section('receipts', 'Receipts', receiptsTable(receipts))}
${matches !== undefined && section('matching', 'Who got it, and why not', matchesOf(shown, matches))}`,
  };
}

const section = (id: string, title: string, content: Html): Html =>
  html`<section class="part" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${content}</section>`;

const actionsOf = ({ payload, event, t }: ShownEvent, { can, isCustomer }: Asking, href: string): Html =>
  html`${can('write', 'replay') && payload !== undefined && html`<a class="button primary" data-key="r" href="${href}/replay">Replay …</a>`}
${!isCustomer && payload !== undefined && html`<a class="button" href="${t}/compare?a=${encodeURIComponent(event.id)}">Compare …</a>`}
${can('admin') && html`<a class="button danger" href="${href}/erase">Erase …</a>`}`;

function facts({ t, event, sources }: ShownEvent): Html {
  const tags = Object.entries(event.tags);
  return definitions([
    ['Sender’s id', event.event_id === null ? 'none' : html`<code>${event.event_id}</code>`],
    sources !== undefined && ['Source', sourceLink(event.source_id, { t, sources })],
    ['Received', time(event.received_at)],
    ['Last change', time(event.updated_at)],
    event.ordering_key !== null && [
      'Ordering key',
      html`<a href="${withQuery(`${t}/events`, { ordering_key: event.ordering_key })}"><code>${event.ordering_key}</code></a>`,
    ],
    event.trace_id !== null && ['Trace', html`<code>${event.trace_id}</code>`],
    tags.length > 0 && [
      'Tags',
      html`<ul class="tags">${tags.map(([name, value]) => html`<li><a href="${t}/events?tag=${encodeURIComponent(`${name}:${value}`)}"><bdi>${name}:${value}</bdi></a></li>`)}</ul>`,
    ],
  ]);
}

function payloadOf({ payload: kept }: ShownEvent, href: string): Html {
  if (kept === undefined)
    return html`<p class="note">The payload has been removed: its retention time is over. The event can’t be sent again.</p>`;
  const { payload, text } = kept;
  return html`<p class="muted">${payloadFacts(payload)}${payload.bytes.length > 0 && html` · <a href="${href}/payload">on a page of its own</a> · <a href="${href}/payload?raw=1">raw</a> · <a href="${href}/payload?download=1">download</a>`}</p>
${payloadView({ payload, text, maxCharacters: maxPayloadCharacters, href: `${href}/payload` })}`;
}

const noDelivery = ({ event, matches }: ShownEvent): Html =>
  event.status === 'received'
    ? html`<p class="note">None yet: the event waits to be fanned out.</p>`
    : html`<p class="note">No endpoint subscribed to this event when it came.${matches !== undefined && html` <a href="#matching">Why not</a>`}</p>`;

function matchesOf({ sources = [], moreMatches, ...shown }: ShownEvent, matches: readonly EventMatch[]): Html {
  if (matches.length === 0)
    return html`<p class="note">There was no endpoint. <a href="${shown.t}/endpoints">Endpoints</a></p>`;
  return html`${whyNot({ ...shown, matches, sources })}${moreMatches !== undefined && html`<p><a href="${moreMatches}">More endpoints</a></p>`}`;
}
