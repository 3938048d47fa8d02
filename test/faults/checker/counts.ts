import { type EventStatus, isFinal } from '#lib/contract';
import type { Arrival, Send } from './history.ts';
import { deliveriesOfPair, dueEndpoints, isPublished, type Ledger, standing } from './ledger.ts';
import { isChangedDuplicate } from './rules/accepted-once.ts';
import { isTaken } from './rules/ended.ts';
import { isDone, isRefused } from './rules/published.ts';
import { repeatsOf } from './rules/arrived.ts';

/** A whole and the parts that it must be the sum of, each side counted by itself. */
export interface CountRow {
  whole: readonly [name: string, count: number];
  parts: readonly (readonly [name: string, count: number])[];
}

export const addsUp = ({ whole, parts }: CountRow): boolean =>
  whole[1] === parts.reduce((sum, [, count]) => sum + count, 0);

/** From the senders' requests to what the API says, stage by stage. */
export const countRows = (ledger: Ledger): CountRow[] => [
  ...acceptedRows(ledger),
  ...publishedRows(ledger),
  ...deliveredRows(ledger),
  shownEvents(ledger, { completed: 'completed', 'dead-lettered': 'dead_lettered' }),
  shownDuplicates(ledger),
  row(
    'ended deliveries in the API',
    sum(ledger.history.api, (event) => event.deliveries.filter(({ status }) => isFinal(status)).length),
    { deliveries: ledger.deliveries.size },
  ),
];

/** The same without a dispatcher: nothing fans out the other events, and there is no endpoint. */
export const receivingRows = (ledger: Ledger): CountRow[] => [
  ...acceptedRows(ledger),
  row('event ids', ledger.eventsById.size, { 'in the API': ledger.history.api.length }),
  duplicateRow(ledger),
  shownEvents(ledger, { received: 'received', 'to no endpoint': 'completed' }),
  shownDuplicates(ledger),
];

function acceptedRows(ledger: Ledger): CountRow[] {
  const { sends, topics } = ledger.history;
  const received = topics['webhooks.received'];
  const own = received.filter((record) => record.origin === record.position);
  const tracesOf = (outcome: Send['outcome']): number =>
    new Set(own.map(({ traceId }) => traceId).filter((traceId) => ledger.sendByTrace.get(traceId)?.outcome === outcome))
      .size;
  const okSends = sends.filter((send) => send.outcome === 'ok').length;
  const deadRecords = new Set(
    topics['dead-letters'].filter((deadLetter) => deadLetter.stage === 'dedup').map((deadLetter) => deadLetter.origin),
  );
  return [
    row('requests sent', sends.length, {
      '2xx': okSends,
      refused: sends.filter((send) => send.outcome === 'fail').length,
      'no clear answer': sends.filter((send) => send.outcome === 'info').length,
    }),
    row('requests answered 2xx', okSends, { 'on webhooks.received': tracesOf('ok') }),
    row('records on webhooks.received', received.length, {
      'of a 2xx': tracesOf('ok'),
      'of no clear answer': tracesOf('info'),
      'of a refusal': tracesOf('fail'),
      'written again': received.length - new Set(own.map(({ traceId }) => traceId)).size,
    }),
    row('webhooks received (origins)', ledger.recordsByOrigin.size, {
      'became an event': ledger.eventsByOrigin
        .keys()
        .filter((origin) => ledger.recordsByOrigin.has(origin))
        .toArray().length,
      duplicate: ledger.duplicatesByOrigin.size,
      'dead letter': deadRecords.size,
    }),
    row('records on events', topics.events.length, {
      'event ids': ledger.eventsById.size,
      'published again': sum(ledger.eventsById.values(), (entries) => entries.length - 1),
    }),
  ];
}

/** Empty if nothing was published. */
function publishedRows({ history, eventsById, publishedByPayload }: Ledger): CountRow[] {
  const { publishes } = history;
  if (publishes.length === 0) return [];
  const published = [...eventsById.values()].filter(([first]) => first !== undefined && isPublished(first));
  const made = publishes.filter(({ payloadSha256 }) => publishedByPayload.has(payloadSha256));
  const second = sum(publishedByPayload.values(), (entries) => new Set(entries.map(({ id }) => id)).size - 1);
  return [
    row('events published by clients', published.length, {
      'keys that have one': made.length,
      'second effects': second,
    }),
    row('idempotency keys', publishes.length, {
      'answered 2xx': publishes.filter(({ calls }) => calls.some(isDone)).length,
      refused: publishes.filter(({ calls }) => calls.length > 0 && calls.every(isRefused)).length,
    }),
  ];
}

function deliveredRows(ledger: Ledger): CountRow[] {
  const { topics, arrivals } = ledger.history;
  const events = [...ledger.eventsById.values()].flatMap((entries) => entries.slice(0, 1));
  const duePairs = sum(events, (event) => dueEndpoints(ledger, event).length);
  const deliveries = [...ledger.deliveries.values()];
  const ended = (status: string): number =>
    deliveries.filter((delivery) => standing(delivery).status === status).length;
  const taken = arrivals.filter(isTaken);
  const repeats = sum(ledger.arrivalsByPair.values(), (ofPair) => repeatsOf(ledger, ofPair).length);
  const takenOnly = sum(ledger.arrivalsByPair.values(), (ofPair) => recordedOtherwise(ledger, ofPair));
  const observedDelivered = deliveries.filter(
    (delivery) =>
      standing(delivery).status === 'delivered' && ledger.endpoints.get(delivery.endpointId)?.observed === true,
  ).length;
  return [
    row('deliveries due (event × endpoint)', duePairs, {
      'fanned out': deliveries.filter((delivery) => delivery.generation === 0).length,
    }),
    row('records on deliveries', topics.deliveries.length, {
      deliveries: deliveries.length,
      'written again': sum(deliveries, (delivery) => Math.max(0, delivery.writes.length - 1)),
    }),
    row('deliveries', deliveries.length, {
      delivered: ended('delivered'),
      'dead-lettered': ended('dead_lettered'),
      cancelled: ended('cancelled'),
    }),
    row('arrivals taken by receivers', taken.length, {
      delivered: observedDelivered,
      repeated: repeats,
      'recorded otherwise': takenOnly,
    }),
    row('arrivals', arrivals.length, { taken: taken.length, 'refused or unanswered': arrivals.length - taken.length }),
  ];
}

/** Arrivals of one event at an endpoint that are no repeats and that the dispatcher does not know of. */
function recordedOtherwise(ledger: Ledger, ofPair: readonly Arrival[]): number {
  const once = ofPair.filter(isTaken).length - repeatsOf(ledger, ofPair).length;
  const delivered = deliveriesOfPair(ledger, ofPair).filter((delivery) => standing(delivery).status === 'delivered');
  return Math.max(0, once - delivered.length);
}

/** @param parts the statuses that events may be in at the end, by what the row calls them */
function shownEvents({ history: { api } }: Ledger, parts: Readonly<Record<string, EventStatus>>): CountRow {
  const inStatus = (status: EventStatus): number => api.filter((event) => event.status === status).length;
  return row(
    'events in the API',
    api.length,
    Object.fromEntries(Object.entries(parts).map(([name, status]) => [name, inStatus(status)])),
  );
}

/** By the bodies themselves, independent of dedup. */
function duplicateRow(ledger: Ledger): CountRow {
  const entries = [...ledger.duplicatesByOrigin.values()].flatMap((ofOrigin) => ofOrigin.slice(0, 1));
  const changed = entries.filter((entry) => isChangedDuplicate(ledger, entry)).length;
  return row('duplicates', entries.length, { 'the same bytes': entries.length - changed, 'other bytes': changed });
}

const shownDuplicates = (ledger: Ledger): CountRow =>
  row(
    'duplicates in the API',
    sum(ledger.history.api, (event) => event.duplicates),
    { 'on duplicates': ledger.duplicatesByOrigin.size },
  );

/** The table as text, a line for each row: `whole  n = part n + part n`. */
export function formatCounts(rows: readonly CountRow[]): string {
  const nameWidth = Math.max(...rows.map(({ whole }) => whole[0].length));
  const countWidth = Math.max(...rows.map(({ whole }) => String(whole[1]).length));
  return rows
    .map((each) => {
      const parts = each.parts.map(([name, count]) => `${name} ${count}`).join(' + ');
      const sign = addsUp(each) ? '=' : '≠';
      return `  ${each.whole[0].padEnd(nameWidth)}  ${String(each.whole[1]).padStart(countWidth)} ${sign} ${parts}`;
    })
    .join('\n');
}

function row(name: string, count: number, parts: Record<string, number>): CountRow {
  return { whole: [name, count], parts: Object.entries(parts) };
}

function sum<T>(values: Iterable<T>, countOf: (value: T) => number): number {
  let total = 0;
  for (const value of values) total += countOf(value);
  return total;
}
