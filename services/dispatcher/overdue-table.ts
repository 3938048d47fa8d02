/** The rows of `waiting` that are to be ended without another send. */
import { formatMicros } from '#lib/clock';
import type { Query } from '#lib/postgres';
import { microsOf } from './micros-of.ts';
import { type RawWaitingRow, waitingColumns, type WaitingRow, waitingRowOf } from './waiting-row.ts';

export interface OverdueTable {
  /** Of these lanes the rows of deliveries that were created by the given times (in microseconds), and whose event is known. */
  ofLanes(question: {
    partitions: readonly number[];
    lanes: readonly { tenant: string; endpointId: string; createdBy: number }[];
    limit: number;
  }): Promise<WaitingRow[]>;
  /** Rows of deliveries that were created by this time, and whose event, or its payload, is not in the tables. */
  withoutEvent(question: { partitions: readonly number[]; createdBy: number; limit: number }): Promise<WaitingRow[]>;
  /** Rows whose delivery somebody wants ended. */
  toCancel(question: { partitions: readonly number[]; limit: number }): Promise<WaitingRow[]>;
  /** When the tables were last written to, in microseconds; 0 where they never were. */
  writtenAt(): Promise<number>;
}

const withEvent = `EXISTS (
  SELECT FROM events e
    JOIN event_payloads p ON p.tenant = e.tenant AND p.event_id = e.id AND p.received_at = e.received_at
   WHERE e.tenant = w.tenant AND e.id = w.event_id)`;
const hasNotEnded = `NOT EXISTS (
  SELECT FROM deliveries d
   WHERE d.tenant = w.tenant AND d.id = w.delivery_id AND d.status IN ('delivered', 'dead_lettered', 'cancelled'))`;

const overdueOfLanes = `
  SELECT ${waitingColumns}
    FROM waiting w
    JOIN unnest($2::text[], $3::text[], $4::timestamptz[]) AS lane (tenant, endpoint_id, created_by) USING (tenant, endpoint_id)
   WHERE w.partition = ANY ($1::int[]) AND w.created_at <= lane.created_by AND w.created_at <= $5 AND ${withEvent} AND ${hasNotEnded}
   ORDER BY w.created_at
   LIMIT $6`;

const overdueWithoutEvent = `
  SELECT ${waitingColumns}
    FROM waiting w
   WHERE w.partition = ANY ($1::int[]) AND w.created_at <= $2 AND NOT ${withEvent} AND ${hasNotEnded}
   ORDER BY w.created_at
   LIMIT $3`;

const rowsToCancel = `
  SELECT ${waitingColumns}
    FROM deliveries d
    JOIN waiting w ON w.tenant = d.tenant AND w.delivery_id = d.id
   WHERE d.cancel_requested AND d.status IN ('pending', 'retrying', 'parked') AND w.partition = ANY ($1::int[])
   LIMIT $2`;

export function createOverdueTable(postgres: Query): OverdueTable {
  return {
    async ofLanes({ partitions, lanes, limit }) {
      if (lanes.length === 0) return [];
      const newest = Math.max(...lanes.map(({ createdBy }) => createdBy));
      const rows = await postgres.query<RawWaitingRow>(overdueOfLanes, [
        partitions,
        lanes.map(({ tenant }) => tenant),
        lanes.map(({ endpointId }) => endpointId),
        lanes.map(({ createdBy }) => formatMicros(createdBy)),
        formatMicros(newest),
        limit,
      ]);
      return rows.map(waitingRowOf);
    },
    async withoutEvent({ partitions, createdBy, limit }) {
      const rows = await postgres.query<RawWaitingRow>(overdueWithoutEvent, [
        partitions,
        formatMicros(createdBy),
        limit,
      ]);
      return rows.map(waitingRowOf);
    },
    async toCancel({ partitions, limit }) {
      const rows = await postgres.query<RawWaitingRow>(rowsToCancel, [partitions, limit], 'rows-to-cancel');
      return rows.map(waitingRowOf);
    },
    async writtenAt() {
      const [row] = await postgres.query<{ at: string | null }>('SELECT max(last_at) AS at FROM tenant_clocks', []);
      return row?.at == null ? 0 : microsOf(row.at);
    },
  };
}
