import type { DuplicateRecord, EventRecord, FannedOut, ReadDeadLetter, StepRecord } from '#lib/contract';
import { timeOfId } from '#lib/runtime';

/** The checked content of one record: nothing in it is missing, and every time in it can be stored. */
export type Fact =
  /** With its set, where it was fanned out when it was published. */
  | { kind: 'event'; event: EventRecord; traceparent: string; fanOut: FanOut | null }
  | { kind: 'duplicate'; duplicate: DuplicateRecord }
  | { kind: 'fan-out'; fanOut: FanOut }
  | { kind: 'outcome'; outcome: StepRecord }
  | { kind: 'dead_letter'; deadLetter: DeadLetter };

/** The set of an event's deliveries in one generation, or one chunk of it. */
export type FanOut = Omit<FannedOut, 'kind'>;

export interface DeadLetter extends ReadDeadLetter {
  /** Empty where the record that died did not say. */
  tenant: string;
  event_id: string | null;
  delivery_id: string | null;
  endpoint_id: string | null;
  source_id: string | null;
  event_type: string | null;
  key: Buffer | null;
  /** Packed: see libs/contract/dead-letter.ts. */
  headers: Buffer;
  /** Null for a delivery: its value is its event's payload, and kept with that. */
  value: Buffer | null;
  /** The position of the dead letter on `dead-letters`. */
  partition: number;
  offset: bigint;
}

/** How many rows it is, more or less: one, but for a set of many deliveries. */
export const rowsOf = (fact: Fact): number => ('fanOut' in fact ? Math.max(1, fact.fanOut?.deliveries.length ?? 0) : 1);

/** The tenant whose clock is needed to write the fact; a dead letter needs no clock. */
export function tenantOf(fact: Fact): string {
  switch (fact.kind) {
    case 'event':
      return fact.event.tenant;
    case 'duplicate':
      return fact.duplicate.tenant;
    case 'fan-out':
      return fact.fanOut.tenant;
    case 'outcome':
      return fact.outcome.tenant;
    case 'dead_letter':
      return fact.deadLetter.tenant;
  }
}

/**
 * When the delivery was created, in each of its records. A fan-out that is repeated after a crash gives the delivery another `created_at`, but
 * never another id. An id of somebody else's making holds no time; then `created_at` has to do.
 */
export function deliveryAt({ delivery_id, created_at }: StepRecord): number {
  const ms = timeOfId(delivery_id);
  return ms === undefined ? created_at : ms * 1000;
}

/** For a line of the log. */
export function idsOf(fact: Fact): { tenant: string; eventId: string | null; deliveryId?: string | null } {
  switch (fact.kind) {
    case 'event':
      return { tenant: fact.event.tenant, eventId: fact.event.id };
    case 'duplicate':
      return { tenant: fact.duplicate.tenant, eventId: fact.duplicate.event_id };
    case 'fan-out':
      return { tenant: fact.fanOut.tenant, eventId: fact.fanOut.event_id };
    case 'outcome':
      return { tenant: fact.outcome.tenant, eventId: fact.outcome.event_id, deliveryId: fact.outcome.delivery_id };
    case 'dead_letter':
      return {
        tenant: fact.deadLetter.tenant,
        eventId: fact.deadLetter.event_id,
        deliveryId: fact.deadLetter.delivery_id,
      };
  }
}

/** No part holds a NUL: Postgres refuses such a text, and so the batch, whatever the key. */
export const keyOf = (...parts: readonly string[]): string => parts.join('\0');
