import { microsOf } from './micros-of.ts';

/** A delivery that waits; instants in microseconds since the epoch. */
export interface WaitingRow {
  tenant: string;
  deliveryId: string;
  partition: number;
  endpointId: string;
  eventId: string;
  generation: number;
  state: 'retrying' | 'parked';
  dueAt: number;
  step: number;
  attempts: number;
  createdAt: number;
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
}

export const waitingRowOf = (row: RawWaitingRow): WaitingRow => ({
  tenant: row.tenant,
  deliveryId: row.delivery_id,
  partition: row.partition,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  generation: row.generation,
  state: row.state,
  dueAt: microsOf(row.due_at),
  step: row.step,
  attempts: row.attempts,
  createdAt: microsOf(row.created_at),
});
