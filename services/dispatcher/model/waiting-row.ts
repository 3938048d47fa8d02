import type { WaitingStatus } from '#lib/contract';
import { listed, type StoredWaitingRow, waitingColumns as tableColumns } from '#lib/event-store';
import { formatMicros, microsOf } from '#lib/runtime';
import type { Order } from './ordering.ts';

/** A delivery that waits; instants in microseconds since the epoch. */
export interface WaitingRow {
  tenant: string;
  deliveryId: string;
  partition: number;
  endpointId: string;
  eventId: string;
  generation: number;
  state: WaitingStatus;
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

/** For a statement that has the table `waiting` as `w`. */
export const waitingColumns = listed(tableColumns, 'w');

export const waitingRowOf = (row: StoredWaitingRow): WaitingRow => ({
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

const orderOf = ({ ordering_key: key, sequence, partition }: StoredWaitingRow): Order | undefined =>
  key === null || sequence === null ? undefined : { key: key.toString('hex'), sequence: BigInt(sequence), partition };

export const storedRowOf = ({ order, ...row }: OrderedRow): StoredWaitingRow => ({
  tenant: row.tenant,
  delivery_id: row.deliveryId,
  partition: row.partition,
  endpoint_id: row.endpointId,
  event_id: row.eventId,
  generation: row.generation,
  state: row.state,
  due_at: formatMicros(row.dueAt),
  step: row.step,
  attempts: row.attempts,
  created_at: formatMicros(row.createdAt),
  ordering_key: keyBytes(order),
  sequence: String(order.sequence),
  not_before: row.notBefore === null ? null : formatMicros(row.notBefore),
});

export const keyBytes = ({ key }: { key: string }): Buffer => Buffer.from(key, 'hex');
