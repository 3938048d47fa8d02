import type { WaitingStatus } from '#lib/contract';
import type { Columns, RowOf } from './columns.ts';

/** The columns of `waiting` that every row has: the projector writes them, of deliveries that are in no order. */
export const unorderedColumns = {
  tenant: 'text',
  delivery_id: 'text',
  /** The partition of `deliveries` that the endpoint's key falls into. */
  partition: 'int',
  endpoint_id: 'text',
  event_id: 'text',
  generation: 'int',
  state: 'text',
  due_at: 'timestamptz',
  step: 'int',
  attempts: 'int',
  created_at: 'timestamptz',
} as const satisfies Columns;

/** All columns of `waiting`: the last three are the dispatcher's, for deliveries that are in an order. */
export const waitingColumns = {
  ...unorderedColumns,
  ordering_key: 'bytea?',
  sequence: 'bigint?',
  not_before: 'timestamptz?',
} as const satisfies Columns;

interface WaitingState {
  state: WaitingStatus;
}

/** A row of `waiting`, of a delivery that is in no order. */
export type UnorderedWaitingRow = Omit<RowOf<typeof unorderedColumns>, 'state'> & WaitingState;

/** A row of `waiting`, whole. */
export type StoredWaitingRow = Omit<RowOf<typeof waitingColumns>, 'state'> & WaitingState;

/** When a row of `waiting` that may go at once is due. One due at infinity keeps its place in its order, an overdue one its place before the others. */
export const dueNow = (row: string): string =>
  `CASE WHEN isfinite(${row}.due_at) THEN least(${row}.due_at, clock_timestamp()) ELSE ${row}.due_at END`;
