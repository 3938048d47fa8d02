import type { Delivery, Event, EventMatch, Receipt } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { table } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { inWords } from '../ui/text.ts';
import { elapsed, time } from '../ui/times.ts';
import {
  type Answers,
  attemptCount,
  endpointName,
  type EndpointNames,
  lastAnswer,
  reasonGiven,
  type Source,
  sourceName,
  urlBeneath,
  urlBesideName,
} from './names.ts';

export interface Journey {
  t: string;
  event: Event;
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

function sinceReceipt({ received_at: receivedAt }: Event, deliveries: readonly Delivery[]): string {
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

interface WhyNot extends Omit<Journey, 'receipts' | 'matches' | 'sources'> {
  matches: readonly EventMatch[];
  sources: readonly Source[];
}

/** Every endpoint, and why it got the event or did not. Those that did not come first. */
export function whyNot({ t, event, matches, endpoints, deliveries, answers, sources }: WhyNot): Html {
  const rows = [...matches].sort((one, other) => Number(one.matched === true) - Number(other.matched === true));
  return table({
    caption: 'Why each endpoint got the event, or did not',
    rows,
    columns: [
      { header: 'Endpoint', cell: (match) => endpointLink(match, t, endpoints) },
      {
        header: 'Got it',
        cell: ({ matched }) =>
          matched === null
            ? statusBadge('unknown', 'unknown', 'warn')
            : matched
              ? statusBadge('yes', 'yes', 'good')
              : statusBadge('no', 'no', 'idle'),
      },
      {
        header: 'Why',
        cell: (match) =>
          html`<span>${reasonOf(match, { event, sources })}${refusal(match, deliveries, answers)}${sinceThen(match)}</span>`,
      },
    ],
  });
}

/** A deleted endpoint is text. */
const endpointLink = ({ endpoint_id: id, deleted_at: deletedAt }: EventMatch, t: string, endpoints: EndpointNames) =>
  deletedAt === null
    ? html`<span><a href="${t}/endpoints/${encodeURIComponent(id)}">${endpointName(id, endpoints)}</a>${urlBeneath(id, endpoints)}</span>`
    : html`<span>${endpointName(id, endpoints)} (deleted)</span>`;

/** The outcome of the first delivery, if the receiver refused it. */
function refusal({ delivery_id: id }: EventMatch, deliveries: readonly Delivery[], answers: Answers): Html | null {
  const delivery = deliveries.find((one) => one.id === id);
  if (delivery === undefined || !answers.has(delivery.id)) return null;
  return html` It ${lastAnswer(delivery)}:${reasonGiven(delivery, answers)}`;
}

function reasonOf(match: EventMatch, { event, sources }: Pick<WhyNot, 'event' | 'sources'>): Html {
  const expected = match.expected ?? [];
  switch (match.reason) {
    case null:
      return match.unjudged === null
        ? html`It subscribes to this event.`
        : html`It got the event without its filter, because ${unjudged[match.unjudged]}.`;
    case 'type':
      return html`It subscribes to ${listed(expected.map((type) => html`<code>${type}</code>`))}, not to <code>${event.type}</code>.`;
    case 'source':
      return html`It takes events from ${listed(expected.map((id) => sourceName(id, sources)))}, not from ${sourceName(event.source_id, sources)}.`;
    case 'filter':
      return html`Its filter refused the payload${match.clause && html`: ${clauseOf(match.clause)}`}.`;
    default:
      return html`${reasons[match.reason] ?? inWords(match.reason)}`;
  }
}

/** The reasons that need no more of the match or the event. */
const reasons: Readonly<Record<string, string>> = {
  test_event: 'The event was a test, sent to one endpoint alone.',
  loop: 'No endpoint gets it, so that it does not go round for ever: its webhook came back to a source that it had passed, or had passed eight others.',
  created_later: 'It was created after the event, or so shortly before it that its creation did not count yet.',
  disabled: 'It was disabled when the event came.',
  deleted: 'It was deleted when the event came.',
  payload_not_json: 'It has a filter, which takes only JSON objects and lists, and the payload is neither.',
  payload_removed: 'Its filter can’t be evaluated any more, because the payload has been removed.',
  history_removed: 'Its settings at that time have been removed.',
} satisfies Record<Exclude<EventMatch['reason'], 'type' | 'source' | 'filter' | null>, string>;

const unjudged: Readonly<Record<NonNullable<EventMatch['unjudged']>, string>> = {
  payload: 'the payload is too large or too deep for it',
  filter_steps: 'the filter is too expensive for this payload',
  event_steps: 'all filters together are too expensive for this payload',
};

function clauseOf({ path, operator, expected, pointer }: NonNullable<EventMatch['clause']>): Html {
  const asked = JSON.stringify(expected);
  return path === null
    ? html`no branch of <code>${operator}</code> (at <code>${pointer}</code>) is true`
    : html`it asks for <code>${path}</code> <code>${operator} ${asked}</code>`;
}

function sinceThen({ disabled_at: disabledAt, deleted_at: deletedAt, reason }: EventMatch): Html | null {
  if (deletedAt !== null && reason !== 'deleted') return html` It was deleted later, at ${time(deletedAt)}.`;
  if (disabledAt !== null && reason !== 'disabled') return html` It is disabled since ${time(disabledAt)}.`;
  return null;
}

const listed = (some: readonly Html[]): Html => {
  if (some.length === 0) return html`others`;
  return html`${some.map((one, index) => html`${index === 0 ? '' : index === some.length - 1 ? ' and ' : ', '}${one}`)}`;
};
