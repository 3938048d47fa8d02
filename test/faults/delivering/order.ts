/**
 * Checks that each endpoint saw the events of a key in the order of `events`: none may arrive before every earlier one of its key has ended
 * there, as taken or as dead-lettered. A repeated arrival after its end does not count here: repeats.ts judges it.
 */
import { isFinal } from '#lib/contract';
import type { EventEntry } from '../checker/history.ts';
import { type DeliveryAccount, type Ledger, pairOf } from '../checker/ledger.ts';
import { isTaken } from '../checker/rules/ended.ts';
import type { Finding } from './findings.ts';
import type { Payload } from './webhooks.ts';

/** The payload that was sent as this event. */
export type PayloadOf = (event: EventEntry) => Payload | undefined;

/** The things that have an order: an event's key, if it has one, and the endpoints that get the events of a key in their order. */
export interface Ordered {
  keyOf(event: EventEntry): string | undefined;
  isOrdered(endpointId: string): boolean;
}

/** By the trace that the sender's request had: nothing that Hookline says of the key. */
export const payloadsOf =
  (ledger: Ledger, sent: ReadonlyMap<string, Payload>): PayloadOf =>
  ({ origin }) => {
    const [record] = ledger.recordsByOrigin.get(origin) ?? [];
    const send = record && ledger.sendByTrace.get(record.traceId);
    return send && sent.get(send.identity);
  };

export function judgeOrder(ledger: Ledger, { keyOf, isOrdered }: Ordered): Finding[] {
  const first = [...ledger.eventsById.values()].flatMap((entries) => entries.slice(0, 1));
  const byKey = Map.groupBy(first, keyOf);
  return [...byKey].flatMap(([key, events]) =>
    key === undefined ? [] : [...judgePartition(key, events), ...judgeKey(ledger, key, events, isOrdered)],
  );
}

function judgePartition(key: string, events: readonly EventEntry[]): Finding[] {
  const partitions = new Set(events.map(({ position }) => placeOf(position).partition));
  return partitions.size === 1 ? [] : [{ finding: 'order-undefined', says: `${key}: ${[...partitions].join(', ')}` }];
}

function judgeKey(
  ledger: Ledger,
  key: string,
  unordered: readonly EventEntry[],
  isOrdered: Ordered['isOrdered'],
): Finding[] {
  const events = unordered.toSorted((a, b) => placeOf(a.position).offset - placeOf(b.position).offset);
  const deliveries = events
    .flatMap(({ id }) => ledger.deliveriesByEvent.get(id) ?? [])
    .filter(({ endpointId }) => isOrdered(endpointId));
  return [...Map.groupBy(deliveries, ({ endpointId }) => endpointId).values()].flatMap((ofEndpoint) =>
    judgeSequence(ledger, key, ofEndpoint),
  );
}

function judgeSequence(ledger: Ledger, key: string, deliveries: readonly DeliveryAccount[]): Finding[] {
  let last: { endedAtMs: number; delivery: DeliveryAccount } | undefined;
  return deliveries.flatMap((delivery): Finding[] => {
    const before = last;
    const { arrivedAtMs, endedAtMs } = timesOf(ledger, delivery);
    if (before === undefined || endedAtMs > before.endedAtMs) last = { endedAtMs, delivery };
    if (before === undefined || arrivedAtMs >= before.endedAtMs) return [];
    const says = [
      `${key} at ${delivery.endpointId}: ${delivery.eventId} arrived at ${text(arrivedAtMs)}`,
      `${before.delivery.eventId}, which is before it, ended at ${text(before.endedAtMs)}`,
      ...[before.delivery, delivery].flatMap((each) => pathOf(ledger, each)),
    ].join('\n  ');
    return [{ finding: 'out-of-order', says }];
  });
}

function timesOf(ledger: Ledger, { eventId, endpointId, steps }: DeliveryAccount) {
  const arrivals = ledger.arrivalsByPair.get(pairOf(eventId, endpointId)) ?? [];
  const taken = arrivals.filter(isTaken).map(({ answeredAtMs }) => answeredAtMs ?? Number.POSITIVE_INFINITY);
  const givenUp = steps.filter(({ status }) => isFinal(status) && status !== 'delivered').map(({ atMs }) => atMs);
  return {
    arrivedAtMs: Math.min(...arrivals.map(({ atMs }) => atMs)),
    endedAtMs: Math.min(...taken, ...givenUp),
  };
}

function pathOf(ledger: Ledger, { id, eventId, endpointId, writes, steps }: DeliveryAccount): string[] {
  const arrivals = ledger.arrivalsByPair.get(pairOf(eventId, endpointId)) ?? [];
  return [
    `${id}, written at ${writes.map(({ position }) => position).join(', ')}`,
    ...[
      ...arrivals.map(({ atMs, attempt, answered }) => ({
        atMs,
        what: `arrived (attempt ${attempt}) → ${answered ?? 'no answer'}`,
      })),
      ...steps.map(({ atMs, step, status, outcome, position }) => ({
        atMs,
        what: `step ${step} ${status} ${outcome ?? ''} at ${position}`,
      })),
    ]
      .sort((a, b) => a.atMs - b.atMs)
      .map(({ atMs, what }) => `  ${text(atMs)} ${what}`),
  ];
}

/** From its acceptance to its first arrival, of the events that are wanted, at these endpoints. In milliseconds, sorted. */
export function latenciesOf(
  ledger: Ledger,
  isWanted: (event: EventEntry) => boolean,
  endpointIds: readonly string[],
): number[] {
  return [...ledger.eventsById.values()]
    .flatMap((entries) => entries.slice(0, 1))
    .filter(isWanted)
    .flatMap((event) =>
      endpointIds.map((endpointId) => {
        const arrivals = ledger.arrivalsByPair.get(pairOf(event.id, endpointId)) ?? [];
        return Math.min(...arrivals.map(({ atMs }) => atMs)) - event.receivedAtMs;
      }),
    )
    .sort((a, b) => a - b);
}

function placeOf(position: string): { partition: string; offset: number } {
  const at = position.lastIndexOf('-');
  return { partition: position.slice(0, at), offset: Number(position.slice(at + 1)) };
}

const text = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(11, 23) : 'never');
