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
import { isCount, isName } from './record-text.ts';
import type { AttemptOutcome, DeliveryStatus } from './states.ts';

type AttemptRecordKind = 'fanned_out' | 'attempted' | 'parked' | 'ended';

export interface FannedOutDelivery {
  delivery_id: string;
  endpoint_id: string;
}

/** The request as sent, without its body: that is the event's payload in every attempt. Secret values are masked. */
export interface SentRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** How long each phase took, in milliseconds; null: there was none, as on a connection that was open already, or it was not reached. */
export interface AttemptTiming {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  first_byte_ms: number | null;
  body_ms: number | null;
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

export interface AttemptRecord {
  kind: AttemptRecordKind;
  tenant: string;
  event_id: string;
  generation: number;
  /** Microseconds since the epoch. */
  at: number;
  /** fanned_out: the set; else empty. */
  deliveries: FannedOutDelivery[];
  /** All of these are null for fanned_out. */
  delivery_id: string | null;
  endpoint_id: string | null;
  step: number | null;
  attempt: number | null;
  status: DeliveryStatus | null;
  /** When the delivery was created, in microseconds: the retry window counts from it. */
  created_at: number | null;
  /** attempted: what the send came to. */
  outcome: AttemptOutcome | null;
  http_status: number | null;
  duration_ms: number | null;
  /** A text for operators: the failure, or why the delivery ended. */
  detail: string | null;
  /** First bytes of the answer's body. */
  response_excerpt: Buffer | null;
  /** retrying: due at this time, in microseconds. */
  next_attempt_at: number | null;
  /** Set where the endpoint is ordered and the event has a key: its row of `waiting` is then the dispatcher's to write and remove. */
  ordering_key: string | null;
  /** These three are null where nothing was sent, or an older dispatcher wrote the record; the headers also where nothing came back. */
  request: SentRequest | null;
  response_headers: Readonly<Record<string, string>> | null;
  timing: AttemptTiming | null;
  /** fanned_out: null where the record has the whole set. */
  chunk: SetChunk | null;
}

export const problemOfChunk = ({ try: name, index, count }: SetChunk): string | undefined =>
  isName(name) && isCount(index) && isCount(count) && index < count
    ? undefined
    : 'chunk is none: it needs the name of its try, and an index below its count';
