/** The middle of G3: each event goes to every endpoint that it is due to, and to no other. */
import type { Violation } from '../anomalies.ts';
import type { EventEntry } from '../history.ts';
import {
  type DeliveryAccount,
  deliveredBy,
  diedAtFanOut,
  dueEndpoints,
  group,
  isExcused,
  isFannedOut,
  isPassed,
  isPublished,
  type Ledger,
  sentAtMs,
} from '../ledger.ts';

export function eventsAreFannedOut(ledger: Ledger): Violation[] {
  return [
    ...[...ledger.eventsById.values()].flatMap((entries) => judgeEvent(ledger, entries)),
    ...[...ledger.fanOutsByEvent.keys()]
      .filter((eventId) => !ledger.eventsById.has(eventId))
      .map((eventId): Violation => ({
        anomaly: 'phantom-delivery',
        subject: { eventId },
        says: 'fanned out, but not on events',
      })),
    ...[...ledger.deliveries.values()].flatMap((delivery) => judgeWrites(ledger, delivery)),
    ...ledger.history.topics.deliveries
      .filter((entry) => !ledger.deliveries.has(entry.id))
      .map((entry): Violation => ({
        anomaly: 'phantom-delivery',
        subject: { eventId: entry.eventId },
        says: `${entry.id} stands on deliveries, but in no set`,
      })),
  ];
}

function judgeEvent(ledger: Ledger, entries: readonly EventEntry[]): Violation[] {
  const [event] = entries;
  if (event === undefined) return [];
  const subject = { eventId: event.id };
  const deliveries = ledger.deliveriesByEvent.get(event.id) ?? [];
  if (!isFannedOut(ledger, event.id)) {
    if (diedAtFanOut(ledger, event)) return [];
    return entries.every((entry) => isDealtWith(ledger, entry))
      ? [
          {
            anomaly: 'missing-delivery',
            subject,
            says: 'never fanned out, or not whole; fan-out has committed past it',
          },
        ]
      : [{ anomaly: 'unseen', subject, says: 'fan-out has not come to it' }];
  }
  const due = dueEndpoints(ledger, event).map((endpoint) => endpoint.id);
  const reached = new Set(deliveries.map((delivery) => delivery.endpointId));
  const perGeneration = group(deliveries, (delivery) => `${delivery.endpointId} generation ${delivery.generation}`);
  return [
    ...due
      .filter((endpointId) => !reached.has(endpointId))
      .map((endpointId): Violation => ({
        anomaly: 'missing-delivery',
        subject,
        says: `not fanned out to ${endpointId}`,
      })),
    ...[...reached]
      .filter((endpointId) => !due.includes(endpointId))
      .map((endpointId): Violation => ({ anomaly: 'phantom-delivery', subject, says: `fanned out to ${endpointId}` })),
    ...[...perGeneration]
      .filter(([, same]) => same.length > 1)
      .map(([name, same]): Violation => ({
        anomaly: 'phantom-delivery',
        subject,
        says: `${same.length} deliveries to ${name}: ${same.map((delivery) => delivery.id).join(', ')}`,
      })),
  ];
}

/** One that was published with its set is dedup's until its webhook is committed: before that, it is published again after a crash. */
const isDealtWith = (ledger: Ledger, entry: EventEntry): boolean =>
  isPassed(ledger, 'fan-out', entry.position) &&
  (entry.set === null || isPublished(entry) || isPassed(ledger, 'dedup', entry.origin));

function judgeWrites(ledger: Ledger, delivery: DeliveryAccount): Violation[] {
  const subject = { deliveryId: delivery.id };
  const [event, ...others] = ledger.eventsById.get(delivery.eventId) ?? [];
  if (event === undefined) return [];
  if (delivery.writes.length === 0) {
    return [event, ...others].every((entry) => isDealtWith(ledger, entry))
      ? [{ anomaly: 'missing-delivery', subject, says: 'in the set, but not on deliveries' }]
      : [{ anomaly: 'unseen', subject, says: 'not yet written to deliveries' }];
  }
  if (delivery.writes.some((write) => write.payloadSha256 !== event.payloadSha256))
    return [{ anomaly: 'changed-bytes', subject, says: 'its payload is not the event’s' }];
  if (delivery.writes.length > 1 && !isExcused(ledger, deliveredBy(ledger, event.id), sentAtMs(ledger, event)))
    return [{ anomaly: 'repeat-without-fault', subject, says: `written ${delivery.writes.length} times` }];
  return [];
}
