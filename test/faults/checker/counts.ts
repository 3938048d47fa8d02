import { isFinal } from '#lib/contract';
import type { Send } from './history.ts';
import { dueEndpoints, type Ledger, pairOf, standing } from './ledger.ts';
import { isTaken } from './rules/ended.ts';
import { repeatsOf } from './rules/arrived.ts';

/** A whole and the parts that it must be the sum of, each side counted by itself. */
export interface CountRow {
  whole: readonly [name: string, count: number];
  parts: readonly (readonly [name: string, count: number])[];
}

export const addsUp = ({ whole, parts }: CountRow): boolean =>
  whole[1] === parts.reduce((sum, [, count]) => sum + count, 0);

/** From the senders' requests to what the API says, stage by stage. */
export function countRows(ledger: Ledger): CountRow[] {
  const { sends, topics, arrivals, api } = ledger.history;
  const received = topics['webhooks.received'];
  const own = received.filter((record) => record.origin === record.position);
  const tracesOf = (outcome: Send['outcome']): number =>
    new Set(own.map(({ traceId }) => traceId).filter((traceId) => ledger.sendByTrace.get(traceId)?.outcome === outcome))
      .size;
  const okSends = sends.filter((send) => send.outcome === 'ok').length;
  const deadRecords = new Set(
    topics['dead-letters'].filter((letter) => letter.stage === 'dedup').map((letter) => letter.origin),
  );
  const duplicateOrigins = new Set(topics.duplicates.map((entry) => entry.origin));
  const events = [...ledger.eventsById.values()].flatMap((entries) => entries.slice(0, 1));
  const duePairs = sum(events, (event) => dueEndpoints(ledger, event).length);
  const deliveries = [...ledger.deliveries.values()];
  const ended = (status: string): number =>
    deliveries.filter((delivery) => standing(delivery).status === status).length;
  const taken = arrivals.filter(isTaken);
  const repeats = sum(ledger.arrivalsByPair.values(), (ofPair) => repeatsOf(ledger, ofPair).length);
  const takenOnly = deliveries.filter(
    (delivery) =>
      standing(delivery).status !== 'delivered' &&
      (ledger.arrivalsByPair.get(pairOf(delivery.eventId, delivery.endpointId)) ?? []).some(isTaken),
  ).length;
  const observedDelivered = deliveries.filter(
    (delivery) =>
      standing(delivery).status === 'delivered' && ledger.endpoints.get(delivery.endpointId)?.observed === true,
  ).length;
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
      'became an event': ledger.eventsByOrigin.size,
      duplicate: duplicateOrigins.size,
      'dead letter': deadRecords.size,
    }),
    row('records on events', topics.events.length, {
      'event ids': ledger.eventsById.size,
      'published again': sum(ledger.eventsById.values(), (entries) => entries.length - 1),
    }),
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
    row('events in the API', api.length, {
      completed: api.filter((event) => event.status === 'completed').length,
      'dead-lettered': api.filter((event) => event.status === 'dead_lettered').length,
    }),
    row(
      'duplicates in the API',
      sum(api, (event) => event.duplicates),
      { 'on duplicates': duplicateOrigins.size },
    ),
    row(
      'ended deliveries in the API',
      sum(api, (event) => event.deliveries.filter(({ status }) => isFinal(status)).length),
      {
        deliveries: deliveries.length,
      },
    ),
  ];
}

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
