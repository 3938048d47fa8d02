import { formatMicros } from '#lib/clock';
import { type AttemptRecord, isFinal, isWaiting } from '#lib/contract';
import type { UnorderedWaitingRow } from '#lib/event-store';

/** The newest step of each delivery in `delivery.attempts`, in any order of its records. */
export interface NewestSteps {
  take(record: AttemptRecord): void;
  /** Waiting deliveries, except those below. */
  waiting(): UnorderedWaitingRow[];
  /** Deliveries that wait in an order with others. */
  ordered(): { tenant: string; delivery_id: string; event_id: string }[];
  /** All. */
  count(): number;
}

interface Newest {
  step: number;
  isFinal: boolean;
  waits: UnorderedWaitingRow | undefined;
  isOrdered: boolean;
}

/** @param partitionOf the partition of `deliveries` that an endpoint's key falls into */
export function createNewestSteps(partitionOf: (endpointId: string) => number): NewestSteps {
  const newest = new Map<string, Newest>();

  return {
    take(record) {
      if (record.kind === 'fanned_out') return;
      const { tenant, delivery_id: id, endpoint_id: endpointId, step, status, created_at: createdAt } = record;
      const key = `${tenant}\0${id}`;
      const known = newest.get(key);
      // An end is final, even if it comes in a lower step: the delivery was sent twice.
      const hasEnded = isFinal(status);
      if (known !== undefined && (known.isFinal || (known.step >= step && !hasEnded))) return;
      const waits: UnorderedWaitingRow | undefined = isWaiting(status)
        ? {
            tenant,
            delivery_id: id,
            partition: partitionOf(endpointId),
            endpoint_id: endpointId,
            event_id: record.event_id,
            generation: record.generation,
            state: status,
            // A parked delivery is due since its creation, as in the projector.
            due_at: formatMicros(record.next_attempt_at ?? createdAt),
            step,
            attempts: record.attempt,
            created_at: formatMicros(createdAt),
          }
        : undefined;
      newest.set(key, { step, isFinal: hasEnded, waits, isOrdered: record.ordering_key !== null });
    },
    waiting: () => [...newest.values()].flatMap(({ waits, isOrdered }) => (waits && !isOrdered ? [waits] : [])),
    ordered: () =>
      [...newest.values()].flatMap(({ waits, isOrdered }) =>
        waits && isOrdered ? [{ tenant: waits.tenant, delivery_id: waits.delivery_id, event_id: waits.event_id }] : [],
      ),
    count: () => newest.size,
  };
}
