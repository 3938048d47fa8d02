import { hash } from 'node:crypto';
import { type EventRecord, sourceDefaults, type Tags } from '#lib/contract';
import { bodyHashOf, type Candidate } from '#lib/dedup-store';
import type { newEventColumns, RowOf } from '#lib/event-store';
import { microsOf } from '#lib/runtime';

/** A published event with its row of the outbox: as it was inserted, or as it is read again. */
export interface OutboxEvent extends Omit<RowOf<typeof newEventColumns>, 'body_hash' | 'tags'> {
  /** Undefined: derived from the payload when it is needed. */
  body_hash?: Buffer;
  tags: Tags | null;
  /** Identifies the claim, too: a later claim of the row has another time. */
  claimed_until: string;
}

/** The row of an event that needs no publishing any more. */
export interface DoneRow extends Pick<OutboxEvent, 'tenant' | 'id' | 'ordering_key' | 'claimed_until'> {
  /** The event as the table of dedup keys knows it; undefined: it has no identifier, or nothing of it is to be kept. */
  candidate: Candidate | undefined;
}

/** The row of an event that nobody has claimed. */
export const unclaimed = '-infinity';

/** The record of the topic: the same as dedup's. */
export const recordOf = (event: OutboxEvent): EventRecord => ({
  id: event.id,
  tenant: event.tenant,
  source_id: event.source_id,
  event_id: event.event_id,
  type: event.type,
  receipt_id: event.receipt_id,
  origin: event.origin,
  received_at: microsOf(event.received_at),
  dedup_key: event.dedup_key,
  content_type: event.content_type,
  content_encoding: event.content_encoding,
  http_headers: {},
  ordering_key: event.ordering_key,
  payload: event.payload,
  request: null,
  tags: event.tags ?? {},
});

/** @param outcome of an erased event, whose key was completed with its mark, nothing is written again */
export const doneRowOf = (event: OutboxEvent, outcome: 'published' | 'erased'): DoneRow => ({
  tenant: event.tenant,
  id: event.id,
  ordering_key: event.ordering_key,
  claimed_until: event.claimed_until,
  candidate: outcome === 'erased' || event.event_id === null ? undefined : candidateOf(event),
});

/** The event as the table of dedup keys knows it. */
export const candidateOf = (event: Omit<OutboxEvent, 'claimed_until'>): Candidate => ({
  tenant: event.tenant,
  key: event.dedup_key,
  origin: event.origin,
  eventId: event.id,
  bodyHash: event.body_hash ?? bodyHashOf(hash('sha256', event.payload, 'buffer')),
  receivedAt: microsOf(event.received_at),
  ttlSeconds: sourceDefaults.dedup_ttl_seconds,
});
