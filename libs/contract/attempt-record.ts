/**
 * A record of `delivery.attempts`: Avro, schemas/delivery.attempts.avsc; its key is the event id, so that all that befalls
 * an event is in one partition, in order.
 *
 * | kind       | written by | says                                                                             |
 * |------------|------------|----------------------------------------------------------------------------------|
 * | fanned_out | fan-out    | the set of the event's deliveries of one generation, or one chunk of it          |
 * | attempted  | dispatcher | a send and what it came to; `status` is where the delivery stands now            |
 * | parked     | dispatcher | no send: the delivery waits for room                                             |
 * | ended      | dispatcher | no send: cancelled, or dead-lettered because the endpoint is gone or disabled    |
 *
 * `step` numbers the records of one delivery from 1: a lower step never changes what a higher one said, unless it ended the delivery. `attempt` counts sends only.
 *
 * The schema grows by fields at its end that have a default: a reader of an older version leaves them out, and to a reader of a newer one
 * they are null in an old record. So services of two versions can run side by side, whichever is started first.
 *
 * A set that is too large for one record comes in chunks. Each names its try, because a fan-out that is repeated after a crash may come to
 * other members, and so to other chunks: the set is known once all chunks of one try are there. Its members are those of all tries together.
 */
import type { AttemptOutcome, DeliveryStatus } from './states.ts';

export type AttemptRecord = FannedOut | StepRecord;

/** A record of one step of one delivery. */
export type StepRecord = Attempted | Parked | Ended;

export interface FannedOut extends EventFields {
  kind: 'fanned_out';
  deliveries: FannedOutDelivery[];
  /** Null: the record has the whole set. */
  chunk: SetChunk | null;
}

export interface Attempted extends StepFields, SendFields {
  kind: 'attempted';
}

interface Parked extends StepFields {
  kind: 'parked';
}

interface Ended extends StepFields {
  kind: 'ended';
}

/** The fields of every record. */
export interface EventFields {
  tenant: string;
  event_id: string;
  generation: number;
  /** Microseconds since the epoch. */
  at: number;
}

/** The fields of a step: they say where the delivery stands now. */
export interface StepFields extends EventFields {
  delivery_id: string;
  endpoint_id: string;
  step: number;
  attempt: number;
  status: DeliveryStatus;
  /** When the delivery was created, in microseconds: the retry window counts from it. */
  created_at: number;
  /** A text for operators: the failure, or why the delivery ended. */
  detail: string | null;
  /** retrying: due at this time, in microseconds. */
  next_attempt_at: number | null;
  /** Set where the endpoint is ordered and the event has a key: its row of `waiting` is then the dispatcher's to write and remove. */
  ordering_key: string | null;
}

/** The fields of a send: each is a column of the table `attempts` too (`sendColumns`), and a property of the API's `Attempt`. */
export interface SendFields {
  outcome: AttemptOutcome;
  http_status: number | null;
  duration_ms: number | null;
  /** First bytes of the answer's body. */
  response_excerpt: Buffer | null;
  /** These three are null where nothing was sent, or an older dispatcher wrote the record; the headers also where nothing came back. */
  request: SentRequest | null;
  response_headers: Readonly<Record<string, string>> | null;
  timing: AttemptTiming | null;
}

/** The SQL type of each field of a send, with a `?` where it may be null. The phases of `timing` have a column each. */
export const sendColumns = {
  outcome: 'text',
  http_status: 'int?',
  duration_ms: 'float8?',
  response_excerpt: 'bytea?',
  request: 'json?',
  response_headers: 'json?',
} as const satisfies Record<Exclude<keyof SendFields, 'timing'>, string>;

export const timingColumns = {
  dns_ms: 'real?',
  connect_ms: 'real?',
  tls_ms: 'real?',
  first_byte_ms: 'real?',
  body_ms: 'real?',
} as const;

/** How long each phase took, in milliseconds; null: there was none, as on a connection that was open already, or it was not reached. */
export type AttemptTiming = Record<keyof typeof timingColumns, number | null>;

/** The request as sent, without its body: that is the event's payload in every attempt. Secret values are masked. */
export interface SentRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

export interface FannedOutDelivery {
  delivery_id: string;
  endpoint_id: string;
}

/** The part of an event's set of deliveries that a record carries. */
export interface SetChunk {
  /** Names one attempt to write the set; no other attempt has it. */
  try: string;
  /** From 0. */
  index: number;
  /** How many chunks the try has. */
  count: number;
}
