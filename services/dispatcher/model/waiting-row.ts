import { microsOf } from '#lib/clock';
import type { Order } from './ordering.ts';

/** A delivery that waits; instants in microseconds since the epoch. */
export interface WaitingRow {
  tenant: string;
  deliveryId: string;
  partition: number;
  endpointId: string;
  eventId: string;
  generation: number;
  state: 'retrying' | 'parked';
  /** Infinity: another row of its key is first. */
  dueAt: number;
  step: number;
  attempts: number;
  createdAt: number;
  order: Order | undefined;
  /** The time until which its receiver asked to wait. */
  notBefore: number | null;
}

export interface OrderedRow extends WaitingRow {
  order: Order;
}

/** An ordered row that has served. */
export interface RowRef {
  tenant: string;
  deliveryId: string;
  endpointId: string;
  order: Order;
  /** Up to this one: a later row stays. */
  step: number;
}

/** A row of the table `waiting`. */
export interface RawWaitingRow {
  tenant: string;
  delivery_id: string;
  partition: number;
  endpoint_id: string;
  event_id: string;
  generation: number;
  state: 'retrying' | 'parked';
  due_at: string;
  step: number;
  attempts: number;
  created_at: string;
  ordering_key: Buffer | null;
  sequence: string | null;
  not_before: string | null;
}

export const waitingColumns =
  'w.tenant, w.delivery_id, w.partition, w.endpoint_id, w.event_id, w.generation, w.state, w.due_at, w.step, w.attempts, w.created_at, ' +
  'w.ordering_key, w.sequence, w.not_before';

export const waitingRowOf = (row: RawWaitingRow): WaitingRow => ({
  tenant: row.tenant,
  deliveryId: row.delivery_id,
  partition: row.partition,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  generation: row.generation,
  state: row.state,
  dueAt: row.due_at === 'infinity' ? Number.POSITIVE_INFINITY : microsOf(row.due_at),
  step: row.step,
  attempts: row.attempts,
  createdAt: microsOf(row.created_at),
  order: orderOf(row),
  notBefore: row.not_before === null ? null : microsOf(row.not_before),
});

const orderOf = ({ ordering_key: key, sequence, partition }: RawWaitingRow): Order | undefined =>
  key === null || sequence === null ? undefined : { key: key.toString('hex'), sequence: BigInt(sequence), partition };
