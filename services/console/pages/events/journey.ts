import { html, type Html } from '#lib/html';
import { elapsed } from '../../parts/elapsed.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { Delivery, EventMatch, LiveEvent, Receipt } from '../../routes/events/event.ts';
import { type Answers, attemptCount, lastAnswer, reasonGiven } from './delivery-words.ts';
import { endpointName, type EndpointNames, urlBesideName } from './endpoint-names.ts';
import { type Source, sourceName } from './source-names.ts';

export interface Journey {
  t: string;
  event: LiveEvent;
  deliveries: readonly Delivery[];
  endpoints: EndpointNames;
  answers: Answers;
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
  const shown = [...deliveries].sort(byGenerationAndTime).slice(0, maxDeliveries);
  const sent = Map.groupBy(shown, ({ generation }) => generation);
  return html`<ol class="journey">
${step(elapsed(event.received_at, event.received_at), html`<strong>Received</strong>`, receivedFrom(given))}
${step('', html`<strong>Accepted</strong>`, acceptedAs(given))}
${!sent.has(0) && fannedOut(given)}
${[...sent].map(
  ([generation, some]) =>
    html`${generation === 0 ? fannedOut(given) : replayed(generation, given)}${some.map((delivery) => deliveryStep(delivery, given))}`,
)}
${deliveries.length > shown.length && step('', '', html`<a href="#deliveries">${deliveries.length - shown.length} more deliveries</a>`)}
</ol>`;
}

const byGenerationAndTime = (one: Delivery, other: Delivery): number =>
  one.generation - other.generation || Date.parse(one.updated_at) - Date.parse(other.updated_at);

const step = (when: string, what: Html | string, how: Html): Html =>
  html`<li><span class="journey-time">${when}</span> <span>${what}</span> <div>${how}</div></li>`;

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
    return step('', html`<strong>Waits</strong>`, html`to be fanned out to endpoints`);
  const others = (matches?.length ?? 0) - firsts.length;
  return step(
    sinceReceipt(event, firsts),
    html`<strong>Fanned out</strong>`,
    html`to ${endpointCount(firsts.length)}${others > 0 && html` · <a href="#matching">why not to ${others === 1 ? 'the other one' : `${firsts.length === 0 ? 'any of' : 'the other'} ${others}`}</a>`}`,
  );
}

function replayed(generation: number, { event, deliveries }: Journey): Html {
  const again = deliveries.filter((delivery) => delivery.generation === generation);
  return step(sinceReceipt(event, again), html`<strong>Replayed</strong>`, html`to ${endpointCount(again.length)}`);
}

function sinceReceipt({ received_at: receivedAt }: LiveEvent, deliveries: readonly Delivery[]): string {
  const [first] = deliveries.map(({ created_at: createdAt }) => createdAt).sort();
  return first === undefined ? '' : elapsed(receivedAt, first);
}

const endpointCount = (endpoints: number): string =>
  endpoints === 0 ? 'no endpoint' : endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;

function deliveryStep(delivery: Delivery, { t, event, endpoints, answers }: Journey): Html {
  const { id, endpoint_id: endpointId, status, attempts, next_attempt_at: next, updated_at: updatedAt } = delivery;
  const url = urlBesideName(endpointId, endpoints);
  return step(
    elapsed(event.received_at, updatedAt),
    statusBadge(status),
    html`<a href="${t}/deliveries/${encodeURIComponent(id)}">${endpointName(endpointId, endpoints)}</a>
<span class="muted">${url !== undefined && html`${url} · `}${[...(attempts > 1 ? [attemptCount(attempts)] : []), lastAnswer(delivery)].join(' · ')}${next !== null && html` · next at ${time(next)}`}</span>${reasonGiven(delivery, answers)}`,
  );
}
