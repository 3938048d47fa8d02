/** Compares the API and its tables with topics and receivers. */
import { type EventStatus, isFinal } from '#lib/contract';
import type { Violation } from '../anomalies.ts';
import type { ApiEvent } from '../history.ts';
import { type DeliveryAccount, isFannedOut, type Ledger, namedIn, standing } from '../ledger.ts';
import { isChangedDuplicate } from './accepted-once.ts';

export function theApiShowsEveryEvent(ledger: Ledger): Violation[] {
  const { api } = ledger.history;
  return [
    ...[...ledger.eventsById.keys()]
      .filter((eventId) => !ledger.apiById.has(eventId))
      .map((eventId): Violation => ({
        anomaly: 'poll-skip',
        subject: { eventId },
        says: 'on events, not in the list',
      })),
    ...api
      .filter((event) => !ledger.eventsById.has(event.id))
      .map((event): Violation => ({
        anomaly: 'phantom-event',
        subject: { eventId: event.id },
        says: 'listed, but not on events',
      })),
    ...api.flatMap((event, index): Violation[] => {
      const before = api[index - 1];
      return before === undefined || before.updatedAt < event.updatedAt
        ? []
        : [
            {
              anomaly: 'nonmonotonic-poll',
              subject: { eventId: event.id },
              says: `${event.updatedAt} comes after ${before.updatedAt} of ${before.id}`,
            },
          ];
    }),
    ...api.filter((event) => ledger.eventsById.has(event.id)).flatMap((event) => judgeEvent(ledger, event)),
  ];
}

function judgeEvent(ledger: Ledger, shown: ApiEvent): Violation[] {
  const all = ledger.deliveriesByEvent.get(shown.id) ?? [];
  const newest = newestPerEndpoint(all);
  const ofEvent = ledger.duplicatesByEvent.get(shown.id) ?? [];
  // The same record may stand there twice around a crash: the first one counts.
  const duplicates = [...new Map(ofEvent.toReversed().map((entry) => [entry.origin, entry])).values()];
  const expectedCounts = { pending: 0, retrying: 0, delivered: 0, dead_lettered: 0, cancelled: 0 };
  // Until its set is whole, nothing is said of its deliveries.
  for (const delivery of isFannedOut(ledger, shown.id) ? newest : []) {
    const { status } = standing(delivery);
    // The contract's event has no count of its own for what waits for room.
    expectedCounts[status === 'parked' ? 'pending' : status] += 1;
  }
  const facts: [name: string, shown: unknown, expected: unknown][] = [
    ['status', shown.status, expectedStatus(ledger, shown.id, newest)],
    ['receipt_id', shown.receiptId, ledger.eventsById.get(shown.id)?.[0]?.receiptId],
    ['duplicates', shown.duplicates, duplicates.length],
    [
      'duplicates_changed',
      shown.duplicatesChanged,
      duplicates.filter((entry) => isChangedDuplicate(ledger, entry)).length,
    ],
    ...Object.entries(expectedCounts).map(([name, expected]): [string, unknown, unknown] => [
      `deliveries.${name}`,
      shown.counts[name as keyof typeof expectedCounts],
      expected,
    ]),
    ...all.flatMap((delivery): [string, unknown, unknown][] => {
      const stands = standing(delivery);
      const shownDelivery = shown.deliveries.find((each) => each.id === delivery.id);
      return [
        [`${delivery.id} endpoint`, shownDelivery?.endpointId, delivery.endpointId],
        [`${delivery.id} status`, shownDelivery?.status, stands.status],
        [`${delivery.id} attempts`, shownDelivery?.attempts, stands.attempt],
      ];
    }),
    ['number of deliveries', shown.deliveries.length, all.length],
  ];
  return facts
    .filter(([, given, expected]) => given !== expected)
    .map(([name, given, expected]) => ({
      anomaly: 'api-disagrees',
      subject: { eventId: shown.id },
      says: `${name} is ${String(given)}; the topics say ${String(expected)}`,
    }));
}

function newestPerEndpoint(deliveries: readonly DeliveryAccount[]): DeliveryAccount[] {
  const inOrder = deliveries.toSorted((a, b) => a.generation - b.generation);
  return [...new Map(inOrder.map((delivery) => [delivery.endpointId, delivery])).values()];
}

function expectedStatus(ledger: Ledger, eventId: string, newest: readonly DeliveryAccount[]): EventStatus {
  if (!isFannedOut(ledger, eventId)) return 'received';
  const statuses = newest.map((delivery) => standing(delivery).status);
  if (!statuses.every(isFinal)) return 'processing';
  return statuses.includes('dead_lettered') ? 'dead_lettered' : 'completed';
}

export function theTablesAreComplete(ledger: Ledger): Violation[] {
  const { receipts, dedupKeys, waiting } = ledger.history.tables;
  const receiptByOrigin = new Map(receipts.map((receipt) => [receipt.origin, receipt]));
  const expected = [
    ...[...ledger.eventsByOrigin.values()].flatMap((entries) =>
      entries.slice(0, 1).map((entry) => ({ ...entry, eventId: entry.id, duplicate: false })),
    ),
    ...[...ledger.duplicatesByOrigin.values()].flatMap((entries) =>
      entries
        .slice(0, 1)
        .map((entry) => ({ ...entry, eventId: ledger.eventOfDuplicate(entry)?.id ?? namedIn(entry), duplicate: true })),
    ),
  ];
  return [
    ...expected
      .filter(({ origin, receiptId, eventId, duplicate }) => {
        const found = receiptByOrigin.get(origin);
        return found?.receiptId !== receiptId || found.eventId !== eventId || found.duplicate !== duplicate;
      })
      .map(({ origin, receiptId, eventId }): Violation => ({
        anomaly: 'poll-skip',
        subject: { origin },
        says: `receipt ${receiptId} does not lead to ${eventId}`,
      })),
    ...dedupKeys
      .filter((row) => !row.completed || !ledger.eventsById.has(row.eventId))
      .map((row): Violation => ({
        anomaly: 'leftover-row',
        subject: row.origin === null ? { eventId: row.eventId } : { origin: row.origin },
        says: `dedup key of ${row.eventId}${row.completed ? ', which is not on events' : ' is not completed'}`,
      })),
    ...waiting.map((row): Violation => ({
      anomaly: 'leftover-row',
      subject: { deliveryId: row.deliveryId },
      says: `waits as ${row.state}`,
    })),
  ];
}
