/** The evidence of one run, from every side, as plain data: the rules are pure functions of it. Times are milliseconds since the epoch. */
import type { EventEntry, Fault } from '../checker/history.ts';

export const apis = ['api', 'api-2'] as const;
export type ApiName = (typeof apis)[number];

export interface History {
  intents: readonly Intent[];
  /** In the order in which they ended. */
  calls: readonly Call[];
  rows: Rows;
  /** The events on the topic `events`. */
  published: readonly EventEntry[];
  faults: readonly Fault[];
}

/** Something that a client wants done once: a key, and the request that it is for. */
export interface Intent {
  number: number;
  scenario: string;
  tenant: string;
  /** The tenant's own key: in another tenant the same text is another intent's. */
  key: string;
  path: '/v1/events' | '/v1/endpoints';
  body: string;
  /** The status of the one right answer. */
  status: 201 | 202 | 400;
  /** By which what it makes is known again: the event's type, the endpoint's description. */
  mark: string;
  /** The event id in the API for a published event; null for an endpoint. */
  eventId: string | null;
  orderingKey: string | null;
  /** A hash of the payload's text. */
  payloadSha256: string | null;
}

/** One HTTP request and its outcome. */
export interface Call {
  intent: number;
  process: ApiName;
  /** With another body than the intent's, when that had been answered. */
  altered: boolean;
  startedAtMs: number;
  endedAtMs: number;
  /** Null: no answer. */
  status: number | null;
  /** Marked as a replay. */
  replayed: boolean;
  /** A hash of status, Location and body. */
  answerSha256: string;
  /** The id of the created resource in the answer. */
  id: string | null;
  /** The problem's code, or the connection's error. */
  detail: string;
}

export interface Rows {
  /** In the order of commits, tenant by tenant. */
  events: readonly EventRow[];
  endpoints: readonly { tenant: string; id: string; mark: string }[];
  /** Dedup keys of events that were published with an identifier. */
  dedupKeys: readonly { tenant: string; eventId: string; isCompleted: boolean }[];
  /** The records of keys. */
  records: readonly { tenant: string; keyHash: string; isFinal: boolean }[];
  /** Events that are not on their topic yet. */
  outbox: readonly { tenant: string; eventId: string }[];
}

export interface EventRow {
  tenant: string;
  id: string;
  mark: string;
  orderingKey: string | null;
  receivedAtMs: number;
}

/** Whether the answer tells the outcome of the intent; any other means retry. */
export const isSettled = ({ status, detail }: Pick<Call, 'status' | 'detail'>): boolean =>
  status !== null && status !== 503 && !(status === 409 && detail === 'idempotency_in_progress');
