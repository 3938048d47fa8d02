/** The rows of `waiting` that are to be ended without another send. */
import { isOpen, type StoredWaitingRow } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { formatMicros, microsOf } from '#lib/runtime';
import { waitingColumns, type WaitingRow, waitingRowOf } from '../model/waiting-row.ts';
import { lanesWithRows } from './lanes-with-rows.ts';
import { hasPayload, hasRowEnded, payloadBytesOfRow } from './row-conditions.ts';

export interface OverdueRow extends WaitingRow {
  payloadBytes: number;
}

export interface OverdueTable {
  /** Rows of these lanes whose deliveries were created by the given times (in microseconds), and whose event is in the tables. */
  ofLanes(question: {
    partitions: readonly number[];
    lanes: readonly { tenant: string; endpointId: string; createdBy: number }[];
    limit: number;
  }): Promise<OverdueRow[]>;
  /**
   * Rows of deliveries that were created by this time, and whose event, or its payload, is not in the tables: of each lane, among the rows
   * that have waited longest.
   */
  withoutEvent(question: { partitions: readonly number[]; createdBy: number; limit: number }): Promise<WaitingRow[]>;
  /** Rows whose cancellation was requested. */
  toCancel(question: { partitions: readonly number[]; limit: number }): Promise<WaitingRow[]>;
  /** When the tables were last written to, in microseconds; 0: never. */
  writtenAt(): Promise<number>;
}

/** Rows of one lane that are checked for their event: in a lane that is down for days, the events of all others may exist. */
const maxLookedAt = 100;

const overdueOfLanes = `
  SELECT rows.*
    FROM unnest($2::text[], $3::text[], $4::timestamptz[]) AS lane (tenant, endpoint_id, created_by)
   CROSS JOIN unnest($1::int[]) AS owned (partition)
   CROSS JOIN LATERAL (
     SELECT ${waitingColumns}, ${payloadBytesOfRow} AS payload_bytes
       FROM waiting w
      WHERE w.partition = owned.partition AND w.tenant = lane.tenant AND w.endpoint_id = lane.endpoint_id
        AND w.created_at <= lane.created_by AND ${hasPayload} AND NOT ${hasRowEnded}
      ORDER BY w.created_at
      LIMIT $5) AS rows
   ORDER BY rows.created_at
   LIMIT $5`;

const overdueWithoutEvent = `
  SELECT rows.*
    FROM unnest($1::int[]) AS owned (partition)
   CROSS JOIN LATERAL (
     WITH RECURSIVE ${lanesWithRows}
     SELECT oldest.*
       FROM lane
      CROSS JOIN LATERAL (
        SELECT ${waitingColumns}, ${hasPayload} IS TRUE AS has_payload, ${hasRowEnded} AS ended
          FROM waiting w
         WHERE w.partition = owned.partition AND w.tenant = lane.tenant AND w.endpoint_id = lane.endpoint_id
           AND w.created_at <= $2
         ORDER BY w.created_at
         LIMIT ${maxLookedAt}) AS oldest
      WHERE NOT oldest.has_payload AND NOT oldest.ended
   ) AS rows
   ORDER BY rows.created_at
   LIMIT $3`;

const rowsToCancel = `
  SELECT ${waitingColumns}
    FROM deliveries d
    JOIN waiting w ON w.tenant = d.tenant AND w.delivery_id = d.id
   WHERE d.cancel_requested AND ${isOpen('d.status')} AND w.partition = ANY ($1::int[])
   LIMIT $2`;

/** @param indexScanPool has the settings of lanes-with-rows.ts */
export function createOverdueTable(postgres: Query, indexScanPool: Query): OverdueTable {
  return {
    async ofLanes({ partitions, lanes, limit }) {
      if (lanes.length === 0) return [];
      const rows = await indexScanPool.query<StoredWaitingRow & { payload_bytes: number }>(overdueOfLanes, [
        partitions,
        lanes.map(({ tenant }) => tenant),
        lanes.map(({ endpointId }) => endpointId),
        lanes.map(({ createdBy }) => formatMicros(createdBy)),
        limit,
      ]);
      return rows.map((row) => ({ ...waitingRowOf(row), payloadBytes: row.payload_bytes }));
    },
    async withoutEvent({ partitions, createdBy, limit }) {
      const rows = await indexScanPool.query<StoredWaitingRow>(overdueWithoutEvent, [
        partitions,
        formatMicros(createdBy),
        limit,
      ]);
      return rows.map(waitingRowOf);
    },
    async toCancel({ partitions, limit }) {
      const rows = await postgres.query<StoredWaitingRow>(rowsToCancel, [partitions, limit], 'rows-to-cancel');
      return rows.map(waitingRowOf);
    },
    async writtenAt() {
      const [row] = await postgres.query<{ at: string | null }>('SELECT max(last_at) AS at FROM tenant_clocks', []);
      return row?.at == null ? 0 : microsOf(row.at);
    },
  };
}
