import { html, type Html } from '#lib/html';
import { withQuery } from '../../api-calls/paths.ts';
import type { PageContent } from '../../page-result.ts';
import { definitions } from '../../parts/definitions.ts';
import type { Payload, PayloadText } from '../../parts/payload-text.ts';
import { payloadFacts, payloadView } from '../../parts/payload-view.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { EventMatch, EventRequest, WholeEvent } from '../../routes/events/event.ts';
import { deliveriesTable, receiptsTable } from './event-tables.ts';
import { journey, type Journey } from './journey.ts';
import { requestView } from './request-view.ts';
import { sourceLink } from './source-names.ts';
import { whyNot } from './why-not.ts';

export interface ShownEvent extends Journey {
  event: WholeEvent;
  /** Undefined: kept no longer. */
  payload: { payload: Payload; text: PayloadText } | undefined;
  request: EventRequest | undefined;
  /** More endpoints than one page of the API: where the next ones are. */
  moreMatches: string | undefined;
  mayReplay: boolean;
  mayErase: boolean;
  mayCompare: boolean;
}

/** On this page; the payload has a page of its own. */
const maxPayloadCharacters = 20_000;

export function eventPage(shown: ShownEvent): PageContent {
  const { t, event, deliveries, endpoints, answers, receipts, matches } = shown;
  const href = `${t}/events/${encodeURIComponent(event.id)}`;
  return {
    title: event.type,
    heading: html`<bdi class="event-type">${event.type}</bdi> ${statusBadge(event.status)}`,
    subtitle: wholeId(event.id),
    crumbs: [{ label: 'Events', href: `${t}/events` }],
    actions: actionsOf(shown, href),
    body: html`${facts(shown)}
${section('journey', 'Journey', journey(shown))}
${section('payload', 'Payload', payloadOf(shown, href))}
${section('request', 'Request as it came', requestView(shown.request))}
${section('deliveries', 'Deliveries', deliveries.length === 0 ? noDelivery(shown) : deliveriesTable(deliveries, { t, endpoints, answers }))}
${receipts !== undefined && section('receipts', 'Receipts', receiptsOf(receipts))}
${matches !== undefined && section('matching', 'Who got it, and why not', matchesOf(shown, matches))}`,
  };
}

const section = (id: string, title: string, content: Html): Html =>
  html`<section class="part" id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${content}</section>`;

const actionsOf = ({ mayReplay, mayErase, mayCompare, payload, event, t }: ShownEvent, href: string): Html =>
  html`${mayReplay && payload !== undefined && html`<a class="button primary" data-key="r" href="${href}/replay">Replay …</a>`}
${mayCompare && payload !== undefined && html`<a class="button" href="${t}/compare?a=${encodeURIComponent(event.id)}">Compare …</a>`}
${mayErase && html`<a class="button danger" href="${href}/erase">Erase …</a>`}`;

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

const receiptsOf = (receipts: NonNullable<Journey['receipts']>): Html =>
  receipts.length === 0
    ? html`<p class="note">The receipts have been removed: their retention time is over.</p>`
    : receiptsTable(receipts);

function matchesOf({ sources = [], moreMatches, ...shown }: ShownEvent, matches: readonly EventMatch[]): Html {
  if (matches.length === 0)
    return html`<p class="note">There was no endpoint. <a href="${shown.t}/endpoints">Endpoints</a></p>`;
  return html`${whyNot({ ...shown, matches, sources })}${moreMatches !== undefined && html`<p><a href="${moreMatches}">More endpoints</a></p>`}`;
}
