import type { Subject } from './anomalies.ts';
import type { Send } from './history.ts';
import { type Ledger, namedIn } from './ledger.ts';

/** All that one violation's webhook has to do with. */
export interface Related {
  /** Every request of the webhook, also those without a record. */
  sends: readonly Send[];
  origins: ReadonlySet<string>;
  eventIds: ReadonlySet<string>;
}

/** From any end of a webhook's path to the whole of it: over what its sender calls it, and over the events that it was taken for. */
export function relatedTo(ledger: Ledger, subject: Subject): Related {
  const named = eventNamedBy(ledger, subject);
  const seeds = [
    ...('origin' in subject ? [subject.origin] : []),
    ...(named === undefined ? [] : originsOfEvent(ledger, named)),
  ];
  const sends = sendsOfSameWebhooks(ledger, subject, seeds);
  const recorded = sends.flatMap(({ traceId }) => ledger.recordsByTrace.get(traceId) ?? []);
  const origins = new Set([...seeds, ...recorded.map(({ origin }) => origin)]);
  const eventIds = new Set([
    ...(named === undefined ? [] : [named]),
    ...[...origins].flatMap((origin) => eventsOfOrigin(ledger, origin)),
  ]);
  return { sends, origins, eventIds };
}

function eventNamedBy(ledger: Ledger, subject: Subject): string | undefined {
  if ('eventId' in subject) return subject.eventId;
  if ('deliveryId' in subject) return ledger.deliveries.get(subject.deliveryId)?.eventId;
  const publish = 'key' in subject ? ledger.history.publishes.find(({ key }) => key === subject.key) : undefined;
  return publish && ledger.publishedByPayload.get(publish.payloadSha256)?.[0]?.id;
}

function originsOfEvent(ledger: Ledger, eventId: string): string[] {
  return [
    ...(ledger.eventsById.get(eventId) ?? []).map(({ origin }) => origin),
    ...(ledger.duplicatesByEvent.get(eventId) ?? []).map(({ origin }) => origin),
  ];
}

function eventsOfOrigin(ledger: Ledger, origin: string): string[] {
  return [
    ...(ledger.eventsByOrigin.get(origin) ?? []).map(({ id }) => id),
    ...(ledger.duplicatesByOrigin.get(origin) ?? []).map(
      (duplicate) => ledger.eventOfDuplicate(duplicate)?.id ?? namedIn(duplicate),
    ),
  ];
}

function sendsOfSameWebhooks(ledger: Ledger, subject: Subject, origins: readonly string[]): Send[] {
  const { sends } = ledger.history;
  const records = origins.flatMap((origin) => ledger.recordsByOrigin.get(origin) ?? []);
  const traces = new Set(records.map(({ traceId }) => traceId));
  const named = sends.filter((send) => traces.has(send.traceId) || ('send' in subject && send.number === subject.send));
  const webhooks = new Set(named.map(nameOf));
  return sends.filter((send) => webhooks.has(nameOf(send)));
}

const nameOf = ({ sourceId, identity }: Send): string => `${sourceId}/${identity}`;
