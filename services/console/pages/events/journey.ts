import { html, type Html } from '#lib/html';
import { elapsed } from '../../parts/elapsed.ts';
import { shortId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { Delivery, EventMatch, LiveEvent, Receipt } from '../../routes/events/event.ts';
import { attemptCount, lastAnswer } from './delivery-words.ts';
import { type Source, sourceName } from './source-names.ts';

export interface Journey {
  t: string;
  event: LiveEvent;
  deliveries: readonly Delivery[];
  /** The endpoints' URLs, by id. */
  urls: ReadonlyMap<string, string>;
  /** Undefined, as the two below: a customer is not told of it. */
  receipts: readonly Receipt[] | undefined;
  matches: readonly EventMatch[] | undefined;
  sources: readonly Source[] | undefined;
}

/** More are in the table of deliveries alone. */
const maxDeliveries = 20;

/** The history of an event so far, in its order. */
export function journey(given: Journey): Html {
  const { event, deliveries } = given;
  const shown = [...deliveries].sort((one, other) => one.generation - other.generation).slice(0, maxDeliveries);
  return html`<ol class="journey">
${step(time(event.received_at), html`<strong>Received</strong> ${receivedFrom(given)}`)}
${step('', html`<strong>Accepted</strong> ${acceptedAs(given)}`)}
${fannedOut(given)}
${shown.map((delivery) => deliveryStep(delivery, given))}
${deliveries.length > shown.length && step('', html`<a href="#deliveries">${deliveries.length - shown.length} more deliveries</a>`)}
</ol>`;
}

const step = (when: Html | string, what: Html): Html =>
  html`<li><span class="journey-time">${when}</span><div>${what}</div></li>`;

function receivedFrom({ event, receipts, sources }: Journey): Html {
  if (event.source_id === 'api') return html`through the API`;
  if (event.source_id === 'hookline') return html`from Hookline itself`;
  if (sources === undefined) return html`as a webhook`;
  const address = receipts?.find(({ kind }) => kind === 'first')?.client_address ?? null;
  return html`by ${sourceName(event.source_id, sources)}${address !== null && html` from <code>${address}</code>`}`;
}

function acceptedAs({ event, receipts }: Journey): Html {
  const { event_id: id, duplicates, duplicates_changed: changed } = event;
  const first = id === null ? html`as a new event` : html`as the first with the id <code>${id}</code>`;
  if (duplicates === 0) return first;
  const times = duplicates === 1 ? 'It came once more' : `It came ${duplicates} more times`;
  const again = receipts === undefined ? html`${times}` : html`<a href="#receipts">${times}</a>`;
  return html`${first}. ${again}${changed > 0 && `, ${changed === duplicates ? '' : `${changed} of them `}with other bytes`}, and was not sent again.`;
}

function fannedOut({ event, deliveries, matches }: Journey): Html {
  const firsts = deliveries.filter(({ generation }) => generation === 0);
  if (firsts.length === 0 && event.status === 'received')
    return step('', html`<strong>Waits</strong> to be fanned out to endpoints`);
  const [first] = firsts.map(({ created_at: createdAt }) => createdAt).sort();
  const others = (matches?.length ?? 0) - firsts.length;
  return step(
    first === undefined ? '' : elapsed(event.received_at, first),
    html`<strong>Fanned out</strong> to ${firsts.length === 0 ? 'no endpoint' : firsts.length === 1 ? '1 endpoint' : `${firsts.length} endpoints`}${others > 0 && html` · <a href="#matching">why not to ${others === 1 ? 'the other one' : `${firsts.length === 0 ? 'any of' : 'the other'} ${others}`}</a>`}`,
  );
}

function deliveryStep(delivery: Delivery, { t, event, urls }: Journey): Html {
  const { id, endpoint_id, generation, status, attempts, next_attempt_at: next, updated_at: updatedAt } = delivery;
  const isOpen = next !== null;
  return step(
    elapsed(event.received_at, updatedAt),
    html`${statusBadge(status)} <a href="${t}/deliveries/${encodeURIComponent(id)}">${endpointName(endpoint_id, urls)}</a>
<span class="muted">${[...(generation > 0 ? [`replay ${generation}`] : []), ...(attempts > 1 ? [attemptCount(attempts)] : []), lastAnswer(delivery)].join(' · ')}${isOpen && html` · next at ${time(next)}`}</span>`,
  );
}

/** Its URL; of one that is deleted, the id. */
export function endpointName(id: string, urls: ReadonlyMap<string, string>): Html {
  const url = urls.get(id);
  return url === undefined ? shortId(id) : html`<bdi class="url">${url.replace(/^https?:\/\//, '')}</bdi>`;
}
