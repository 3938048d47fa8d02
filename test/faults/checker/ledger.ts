import { type DeliveryStatus, endpointSettlingMs, isFinal, publishedSourceId } from '#lib/contract';
import type { ServiceName } from '../../support/stack.ts';
import type {
  ApiEvent,
  Arrival,
  Change,
  DeliveryEntry,
  DuplicateEntry,
  EndpointFact,
  EventEntry,
  FannedOutEntry,
  Fault,
  History,
  DeadLetterEntry,
  Publish,
  ReceivedEntry,
  Send,
  StepEntry,
} from './history.ts';

/** One delivery as the fan-out's sets name it, with all that is known of it. */
export interface DeliveryAccount {
  id: string;
  eventId: string;
  endpointId: string;
  generation: number;
  writes: readonly DeliveryEntry[];
  steps: readonly StepEntry[];
  deadLetters: readonly DeadLetterEntry[];
}

/** A history by what its entries refer to each other with. */
export interface Ledger {
  history: History;
  sendByTrace: ReadonlyMap<string, Send>;
  publishByPayload: ReadonlyMap<string, Publish>;
  publishedByPayload: ReadonlyMap<string, readonly EventEntry[]>;
  recordsByTrace: ReadonlyMap<string, readonly ReceivedEntry[]>;
  recordsByReceipt: ReadonlyMap<string, readonly ReceivedEntry[]>;
  recordsByOrigin: ReadonlyMap<string, readonly ReceivedEntry[]>;
  eventsByOrigin: ReadonlyMap<string, readonly EventEntry[]>;
  eventsById: ReadonlyMap<string, readonly EventEntry[]>;
  duplicatesByOrigin: ReadonlyMap<string, readonly DuplicateEntry[]>;
  /** By the event that the duplicate belongs to. */
  duplicatesByEvent: ReadonlyMap<string, readonly DuplicateEntry[]>;
  eventOfDuplicate(duplicate: DuplicateEntry): EventEntry | undefined;
  deadLettersByOrigin: ReadonlyMap<string, readonly DeadLetterEntry[]>;
  fanOutsByEvent: ReadonlyMap<string, readonly FannedOutEntry[]>;
  deliveries: ReadonlyMap<string, DeliveryAccount>;
  deliveriesByEvent: ReadonlyMap<string, readonly DeliveryAccount[]>;
  arrivalsByPair: ReadonlyMap<string, readonly Arrival[]>;
  endpoints: ReadonlyMap<string, EndpointFact>;
  apiById: ReadonlyMap<string, ApiEvent>;
  changesByEvent: ReadonlyMap<string, readonly Change[]>;
}

export function openLedger(history: History): Ledger {
  const { topics } = history;
  const received = topics['webhooks.received'];
  const outcomes = topics['delivery.attempts'];
  const fanOuts = [...topics.events.flatMap(setOf), ...outcomes.filter((entry) => entry.kind === 'fanned_out')];
  const deadLettersByOrigin = group(topics['dead-letters'], (deadLetter) => deadLetter.origin);
  const eventsById = group(topics.events, (entry) => entry.id);
  const eventsByKey = group(topics.events, (entry) => entry.dedupKey);
  const deliveries = accounts(
    fanOuts,
    group(topics.deliveries, (entry) => entry.id),
    group(
      outcomes.filter((entry) => entry.kind !== 'fanned_out'),
      (entry) => entry.deliveryId,
    ),
    deadLettersByOrigin,
  );
  return {
    history,
    sendByTrace: new Map(history.sends.map((send) => [send.traceId, send])),
    publishByPayload: new Map(history.publishes.map((publish) => [publish.payloadSha256, publish])),
    publishedByPayload: group(topics.events.filter(isPublished), (entry) => entry.payloadSha256),
    recordsByTrace: group(received, (entry) => entry.traceId),
    recordsByReceipt: group(received, (entry) => entry.receiptId),
    recordsByOrigin: group(received, (entry) => entry.origin),
    eventsByOrigin: group(topics.events, (entry) => entry.origin),
    eventsById,
    duplicatesByOrigin: group(topics.duplicates, (entry) => entry.origin),
    duplicatesByEvent: group(
      topics.duplicates,
      (entry) => eventOf(entry, eventsById, eventsByKey)?.id ?? namedIn(entry),
    ),
    eventOfDuplicate: (entry) => eventOf(entry, eventsById, eventsByKey),
    deadLettersByOrigin,
    fanOutsByEvent: group(fanOuts, (entry) => entry.eventId),
    deliveries,
    deliveriesByEvent: group([...deliveries.values()], (delivery) => delivery.eventId),
    arrivalsByPair: group(history.arrivals, (arrival) => pairOf(arrival.eventId, arrival.endpointId)),
    endpoints: new Map(history.endpoints.map((endpoint) => [endpoint.id, endpoint])),
    apiById: new Map(history.api.map((event) => [event.id, event])),
    changesByEvent: group(history.changes, (change) => change.eventId),
  };
}

/** The set that the event was published with. */
function setOf({ set, position, id }: EventEntry): FannedOutEntry[] {
  return set === null ? [] : [{ kind: 'fanned_out', position, eventId: id, generation: 0, chunk: null, ...set }];
}

/** Published through the API, not received. */
export const isPublished = ({ sourceId }: EventEntry): boolean => sourceId === publishedSourceId;

export const pairOf = (eventId: string, endpointId: string): string => `${eventId} → ${endpointId}`;

/** One for each generation of the event whose arrivals at one endpoint these are. */
export const deliveriesOfPair = (ledger: Ledger, [first]: readonly Arrival[]): readonly DeliveryAccount[] =>
  (ledger.deliveriesByEvent.get(first?.eventId ?? '') ?? []).filter(
    (delivery) => delivery.endpointId === first?.endpointId,
  );

export interface Standing {
  status: DeliveryStatus;
  step: number;
  attempt: number;
}

const unsent: Standing = { status: 'pending', step: 0, attempt: 0 };

/**
 * The state of the delivery: each record with a higher step advances it, until one that ends it, in any step. Later records of a send that
 * a crash repeated change nothing.
 */
export function standing(delivery: DeliveryAccount): Standing {
  return delivery.steps.reduce<Standing>(
    (stands, entry) =>
      !isFinal(stands.status) && (entry.step > stands.step || isFinal(entry.status))
        ? { ...entry, step: Math.max(entry.step, stands.step), attempt: Math.max(entry.attempt, stands.attempt) }
        : stands,
    unsent,
  );
}

/**
 * The endpoints that the event must go to: those that had settled when it was accepted, had not been disabled for as long, and take its
 * source. If the accepting process's clock was off, its fan-out may or may not know a change of an endpoint between that time and the true
 * one: the event may go there or not.
 */
export function dueEndpoints(ledger: Ledger, event: EventEntry): EndpointFact[] {
  if (diedAtFanOut(ledger, event)) return [];
  const sentMs = sentAtMs(ledger, event);
  const isClockOff = Math.abs(event.receivedAtMs - sentMs) > clockOffMs;
  return ledger.history.endpoints.filter((endpoint) => {
    if (endpoint.sourceIds.length > 0 && !endpoint.sourceIds.includes(event.sourceId)) return false;
    const isDue = takesAt(endpoint, event.receivedAtMs);
    return isClockOff && takesAt(endpoint, sentMs) !== isDue
      ? (ledger.deliveriesByEvent.get(event.id) ?? []).some(({ endpointId }) => endpointId === endpoint.id)
      : isDue;
  });
}

/** No request takes so long to be accepted. */
const clockOffMs = 10_000;

const takesAt = ({ createdAtMs, disabledAtMs }: EndpointFact, atMs: number): boolean =>
  createdAtMs + endpointSettlingMs <= atMs && (disabledAtMs === null || disabledAtMs + endpointSettlingMs > atMs);

/** Whether all of its first set is on the topic: in one record, or in all chunks of one try. */
export function isFannedOut(ledger: Ledger, eventId: string): boolean {
  const first = (ledger.fanOutsByEvent.get(eventId) ?? []).filter(({ generation }) => generation === 0);
  const tries = group(first, ({ chunk }) => chunk?.try ?? '');
  return [...tries.values()].some((chunks) => {
    const count = chunks[0]?.chunk?.count ?? 1;
    return new Set(chunks.map(({ chunk }) => chunk?.index ?? 0)).size === count;
  });
}

/** A dead letter in place of a fan-out is an end too. */
export function diedAtFanOut(ledger: Ledger, event: EventEntry): boolean {
  return (ledger.deadLettersByOrigin.get(event.position) ?? []).some((deadLetter) => deadLetter.stage === 'fan-out');
}

/**
 * The services whose faults can repeat its deliveries: an event that is published again is fanned out again, to the same deliveries, and
 * one that was published with its set may have been sent before a crash by which its own record does not stand.
 */
export function deliveredBy(ledger: Ledger, eventId: string): readonly ServiceName[] {
  const entries = ledger.eventsById.get(eventId) ?? [];
  return entries.length > 1 || entries.some(({ set }) => set !== null)
    ? [...publishedBy, 'dispatcher']
    : ['dispatcher'];
}

/** The services that write events. */
export const publishedBy: readonly ServiceName[] = ['dedup', 'api'];

/** The start of its first send, by the sender's clock: the receiver's may be off. */
export function sentAtMs(ledger: Ledger, event: EventEntry): number {
  const [record] = ledger.recordsByOrigin.get(event.origin) ?? [];
  const send = record && ledger.sendByTrace.get(record.traceId);
  const [call] = ledger.publishByPayload.get(event.payloadSha256)?.calls ?? [];
  return send?.startedAtMs ?? call?.startedAtMs ?? event.receivedAtMs;
}

/** True where the group has committed past this position: what it did not do by then, it never will. */
export function isPassed(ledger: Ledger, group: keyof History['committed'], position: string): boolean {
  const [, partition = '', offset = ''] = /^(.*)-(\d+)$/.exec(position) ?? [];
  return (ledger.history.committed[group][partition] ?? 0) > Number(offset);
}

/** Clocks of two processes of one machine, and what was under way when a process died. */
const faultSlackMs = 1_000;

/**
 * True where a fault of these services' processes, or of a server or link, lies between the two times: what they did before it they may have
 * done again after it.
 */
export function isExcused(
  ledger: Ledger,
  services: readonly ServiceName[],
  fromMs: number,
  untilMs = Number.POSITIVE_INFINITY,
): boolean {
  return ledger.history.faults.some(
    (fault) => (fault.service === undefined || services.includes(fault.service)) && overlaps(fault, fromMs, untilMs),
  );
}

/** True where a fault of one service's processes alone does. */
export function overlapsFault(ledger: Ledger, fromMs: number, untilMs: number, service: ServiceName): boolean {
  return ledger.history.faults.some((fault) => fault.service === service && overlaps(fault, fromMs, untilMs));
}

/** True where a process of the service was stopped at some time between the two. */
export const stoodStill = ({ history }: Ledger, fromMs: number, untilMs: number, service: ServiceName): boolean =>
  history.faults.some((fault) => fault.service === service && isStop(fault) && overlaps(fault, fromMs, untilMs));

/** A process stood still, and went on. */
export const isStop = ({ what }: Fault): boolean => what.startsWith('SIGSTOP');

export const overlaps = (fault: Fault, fromMs: number, untilMs: number): boolean =>
  fault.settledAtMs >= fromMs - faultSlackMs && fault.atMs - faultSlackMs <= untilMs;

export function group<T>(entries: Iterable<T>, keyOf: (entry: T) => string): Map<string, T[]> {
  return Map.groupBy(entries, keyOf);
}

/** As it is shown: the event's id as dedup named it, or what it knew of it. */
export const namedIn = ({ eventId, eventIdEnd }: DuplicateEntry): string => eventId ?? `evt_…${eventIdEnd}`;

/** The event that dedup named or, if that was never published, the one with the key. */
function eventOf(
  duplicate: DuplicateEntry,
  eventsById: ReadonlyMap<string, readonly EventEntry[]>,
  eventsByKey: ReadonlyMap<string, readonly EventEntry[]>,
): EventEntry | undefined {
  const { eventId, eventIdEnd } = duplicate;
  const ofKey = eventsByKey.get(duplicate.dedupKey) ?? [];
  if (eventId === null) return ofKey.find((event) => event.id.endsWith(eventIdEnd));
  return eventsById.get(eventId)?.[0] ?? ofKey[0];
}

function accounts(
  fanOuts: readonly FannedOutEntry[],
  writes: Map<string, DeliveryEntry[]>,
  steps: Map<string, StepEntry[]>,
  deadLetters: Map<string, DeadLetterEntry[]>,
): Map<string, DeliveryAccount> {
  const known = new Map<string, Pick<DeliveryAccount, 'eventId' | 'endpointId' | 'generation'>>();
  for (const { eventId, generation, deliveries } of fanOuts)
    for (const { id, endpointId } of deliveries) known.set(id, { eventId, endpointId, generation });
  return new Map(
    [...known].map(([id, facts]) => [
      id,
      {
        id,
        ...facts,
        writes: writes.get(id) ?? [],
        steps: steps.get(id) ?? [],
        deadLetters: deadLetters.get(id) ?? [],
      },
    ]),
  );
}
