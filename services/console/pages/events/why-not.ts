import { html, type Html } from '#lib/html';
import { statusBadge } from '../../parts/status-badge.ts';
import { table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import type { Delivery, EventMatch, LiveEvent } from '../../routes/events/event.ts';
import { type Answers, lastAnswer, reasonGiven } from './delivery-words.ts';
import { endpointName, type EndpointNames, urlBeneath } from './endpoint-names.ts';
import { type Source, sourceName } from './source-names.ts';

interface WhyNot {
  t: string;
  event: LiveEvent;
  matches: readonly EventMatch[];
  endpoints: EndpointNames;
  deliveries: readonly Delivery[];
  answers: Answers;
  sources: readonly Source[];
}

/** Every endpoint, and why it got the event or did not. Those that did not come first. */
export function whyNot({ t, event, matches, endpoints, deliveries, answers, sources }: WhyNot): Html {
  const rows = [...matches].sort((one, other) => Number(one.matched === true) - Number(other.matched === true));
  return table({
    caption: 'Why each endpoint got the event, or did not',
    rows,
    columns: [
      {
        header: 'Endpoint',
        cell: (match) => endpointLink(match, t, endpoints),
      },
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
    case 'test_event':
      return html`The event was a test, sent to one endpoint alone.`;
    case 'loop':
      return html`No endpoint gets it, so that it does not go round for ever: its webhook came back to a source that it had passed, or had passed eight others.`;
    case 'created_later':
      return html`It was created after the event, or so shortly before it that its creation did not count yet.`;
    case 'disabled':
      return html`It was disabled when the event came.`;
    case 'deleted':
      return html`It was deleted when the event came.`;
    case 'type':
      return html`It subscribes to ${listed(expected.map((type) => html`<code>${type}</code>`))}, not to <code>${event.type}</code>.`;
    case 'source':
      return html`It takes events from ${listed(expected.map((id) => sourceName(id, sources)))}, not from ${sourceName(event.source_id, sources)}.`;
    case 'payload_not_json':
      return html`It has a filter, which takes only JSON objects and lists, and the payload is neither.`;
    case 'filter':
      return html`Its filter refused the payload${match.clause && html`: ${clauseOf(match.clause)}`}.`;
    case 'payload_removed':
      return html`Its filter can’t be evaluated any more, because the payload has been removed.`;
    case 'history_removed':
      return html`Its settings at that time have been removed.`;
    default:
      return html`${match.reason.replaceAll('_', ' ')}`;
  }
}

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
