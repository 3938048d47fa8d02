import { columnNames, unnested } from './columns.ts';
import type { Statement } from './statement.ts';
import { hasNotEnded, isNotErased } from './status-conditions.ts';
import { upsertWaiting } from './upsert-waiting.ts';
import { unorderedColumns, type UnorderedWaitingRow } from './waiting-row.ts';

export interface RestoredRow {
  tenant: string;
  delivery_id: string;
  /** Its event is in the tables: without it nothing is sent. */
  has_event: boolean;
}

const columns = columnNames(unorderedColumns);

/**
 * Deliveries that have lost their row, or have an older one. A later step or an end in the tables means that the topic was read too early:
 * the delivery has gone on since. What was erased has none.
 */
const missing = `
  SELECT i.*
    FROM ${unnested(unorderedColumns, 'i')}
    LEFT JOIN deliveries d ON d.tenant = i.tenant AND d.id = i.delivery_id
   WHERE (d.id IS NULL OR d.step <= i.step AND ${hasNotEnded('d.status')})
     AND ${isNotErased('i.tenant', 'i.event_id')}
   ORDER BY i.tenant, i.delivery_id`;

const hasEvent = (row: string): string =>
  `EXISTS (SELECT FROM events e WHERE e.tenant = ${row}.tenant AND e.id = ${row}.event_id) AS has_event`;

/** Gives deliveries that wait the rows back that they have lost; again, it changes nothing. */
export const restoreWaiting: Statement<UnorderedWaitingRow, RestoredRow> = {
  name: 'restore-waiting',
  columns,
  text: `${upsertWaiting(missing)} RETURNING known.tenant, known.delivery_id, ${hasEvent('known')}`,
};

/** Reads what `restoreWaiting` would write. */
export const findLostWaiting: Statement<UnorderedWaitingRow, RestoredRow> = {
  name: 'find-lost-waiting',
  columns,
  text: `
    SELECT lost.tenant, lost.delivery_id, ${hasEvent('lost')}
      FROM (${missing}) AS lost
      LEFT JOIN waiting w ON w.tenant = lost.tenant AND w.delivery_id = lost.delivery_id
     WHERE w.delivery_id IS NULL OR w.step < lost.step`,
};
