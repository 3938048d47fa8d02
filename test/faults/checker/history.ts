/**
 * Everything that was seen of one run, from every side, as plain data: the checker is a pure function of it, so that a test can hand it
 * a history that no healthy system would write. Times are milliseconds since the epoch, with fractions where microseconds are known;
 * bodies stand as their SHA-256 in hex; origins and positions as `topic-partition-offset`.
 */
import type { AttemptOutcome, DeadLetterStage, DeliveryStatus, EventStatus, SetChunk } from '#lib/contract';
import type { ServiceName } from '../../support/stack.ts';

export interface History {
  sends: readonly Send[];
  publishes: readonly Publish[];
  pollers: readonly PollerHistory[];
  /** Every state of an event, in the order of their times; empty if they were not recorded. */
  changes: readonly Change[];
  endpoints: readonly EndpointFact[];
  arrivals: readonly Arrival[];
  faults: readonly Fault[];
  topics: TopicContents;
  /** Per group, the committed offset by `topic-partition`: what stands before it counts as dealt with. */
  committed: Readonly<Record<'dedup' | 'fan-out' | 'dispatcher', Readonly<Record<string, number>>>>;
  api: readonly ApiEvent[];
  tables: TableContents;
}

/** One HTTP request to the ingress. A webhook that is repeated, or sent again for want of an answer, makes several. */
export interface Send {
  number: number;
  sourceId: string;
  /** The sender's name for the webhook: the same in every repetition. */
  identity: string;
  /** The trace id in the request's `traceparent`, unique to it. */
  traceId: string;
  bodySha256: string;
  startedAtMs: number;
  endedAtMs: number;
  /** ok: 2xx · fail: 4xx, it was definitely refused · info: 5xx, time-out, connection lost: both are possible */
  outcome: 'ok' | 'fail' | 'info';
  status: number | null;
  receiptId: string | null;
  /** The problem's code, or the connection's error. */
  detail: string;
}

/** One thing that a publisher wants done once: a key, its payload, and every `POST /v1/events` that was made for it. */
export interface Publish {
  key: string;
  /** Unique. */
  payloadSha256: string;
  calls: readonly PublishCall[];
}

export interface PublishCall {
  startedAtMs: number;
  endedAtMs: number;
  /** Null: no answer. */
  status: number | null;
  /** Marked as a replay. */
  replayed: boolean;
  /** A hash of status, Location and body. */
  answerSha256: string;
  /** The id in the answer. */
  eventId: string | null;
  detail: string;
}

/** A client that has followed the list of all events. */
export interface PollerHistory {
  name: string;
  /** The items in their order, without those repeated because it asked for them again. */
  items: readonly { eventId: string; updatedAt: string }[];
  /** Each answer, and how far it had come by then. */
  answers: readonly { endedAtMs: number; items: number; position: string }[];
  /** Requests without an answer, or with one that says to come again. */
  failed: number;
  /** The last `updated_at` that it was shown. */
  position: string;
}

/** One state of one event. */
export interface Change {
  eventId: string;
  /** RFC 3339 with microseconds. */
  updatedAt: string;
  atMs: number;
}

export interface EndpointFact {
  id: string;
  createdAtMs: number;
  /** Later events are not for it. */
  disabledAtMs: number | null;
  /** Empty: all. */
  sourceIds: readonly string[];
  /** False for an endpoint with another receiver: its arrivals are unknown. */
  observed: boolean;
}

/** One request that a receiver got whole. */
export interface Arrival {
  endpointId: string;
  eventId: string;
  attempt: number;
  /** By the sender's clock, in seconds: the time of the signature. */
  signedAtMs: number;
  atMs: number;
  bodySha256: string;
  /** The status of its answer; null without an answer. */
  answered: number | null;
  answeredAtMs: number | null;
  /** By each outside verifier, by its name. */
  signatures: Readonly<Record<string, boolean>>;
}

/** Something was done to the system that lets records and deliveries be repeated. */
export interface Fault {
  what: string;
  /** The service whose process was hit; none if it was a server. */
  service?: ServiceName;
  /** Its name, if the fault hit a single process. */
  process?: string;
  /** It has killed the process. */
  deadly?: boolean;
  /** The process's clock was set to another time meanwhile. */
  clock?: boolean;
  atMs: number;
  /** When the system was whole again; Infinity before that. */
  settledAtMs: number;
}

export interface TopicContents {
  'webhooks.received': readonly ReceivedEntry[];
  events: readonly EventEntry[];
  deliveries: readonly DeliveryEntry[];
  'delivery.attempts': readonly (FannedOutEntry | StepEntry)[];
  duplicates: readonly DuplicateEntry[];
  'dead-letters': readonly DeadLetterEntry[];
}

export interface ReceivedEntry {
  position: string;
  /** Its own position, unless it was written again. */
  origin: string;
  sourceId: string;
  receiptId: string;
  traceId: string;
  receivedAtMs: number;
  dedupTtlSeconds: number;
  bodySha256: string;
}

export interface EventEntry {
  position: string;
  id: string;
  origin: string;
  sourceId: string;
  receiptId: string;
  dedupKey: string;
  receivedAtMs: number;
  payloadSha256: string;
  /** With which it was published; null where the fan-out consumer makes it. */
  set: Pick<FannedOutEntry, 'atMs' | 'deliveries'> | null;
}

export interface DuplicateEntry {
  position: string;
  origin: string;
  receiptId: string;
  /**
   * The event that dedup took it for: it may have died with its worker before it was published. Null where dedup knew the end of its id
   * alone.
   */
  eventId: string | null;
  eventIdEnd: string;
  dedupKey: string;
  changed: boolean;
}

export interface DeadLetterEntry {
  position: string;
  stage: DeadLetterStage;
  reason: string;
  /** The position of the record that died, or the delivery's id. */
  origin: string;
  atMs: number;
}

export interface DeliveryEntry {
  position: string;
  id: string;
  eventId: string;
  endpointId: string;
  generation: number;
  payloadSha256: string;
}

export interface FannedOutEntry {
  kind: 'fanned_out';
  /** The position of its own record, or of the event's, whose header has it. */
  position: string;
  eventId: string;
  generation: number;
  atMs: number;
  deliveries: readonly { id: string; endpointId: string }[];
  /** Null where the record has the whole set. */
  chunk: SetChunk | null;
}

export interface StepEntry {
  kind: 'attempted' | 'parked' | 'ended';
  position: string;
  eventId: string;
  deliveryId: string;
  endpointId: string;
  atMs: number;
  step: number;
  attempt: number;
  status: DeliveryStatus;
  outcome: AttemptOutcome | null;
}

/** An event as the API's list shows it, with its deliveries; the list's order is kept. */
export interface ApiEvent {
  id: string;
  receiptId: string;
  status: EventStatus;
  /** RFC 3339 with microseconds, as it came: its text sorts as its time does. */
  updatedAt: string;
  duplicates: number;
  duplicatesChanged: number;
  counts: Readonly<Record<'pending' | 'retrying' | 'delivered' | 'dead_lettered' | 'cancelled', number>>;
  deliveries: readonly { id: string; endpointId: string; status: DeliveryStatus; attempts: number }[];
}

export interface TableContents {
  receipts: readonly { origin: string; receiptId: string; eventId: string; duplicate: boolean }[];
  dedupKeys: readonly { origin: string | null; eventId: string; completed: boolean }[];
  waiting: readonly { deliveryId: string; state: string }[];
}
