import {
  columnNames,
  eventColumns,
  type GrownKey,
  ownReceipts,
  type RowOf,
  type Statement,
  unnested,
} from '#lib/event-store';
import { countColumns, countedDeliveries, deliveryCounts, statusByCounts } from './moved-counts.ts';

/** Its payload is written ahead. */
const columns = {
  ...eventColumns,
  /** By how many microseconds its instant is before the last of those that its tenant's clock has given. */
  before_last: 'int',
} as const;

export type EventRow = RowOf<typeof columns>;

/** The parameters of the clocks, behind those of the columns. */
const clocks = columnNames(columns).length + 1;

export interface InsertedEvent extends GrownKey {
  id: string;
}

/**
 * Events with their own receipts, as what is known of their deliveries makes them: one whose first set is known is counted at once, and need not
 * be judged. One that is there already stays as it is. Gives those that are new.
 *
 * Behind the columns come the clocks: tenants, and the last instant of each. Runs after all that writes sets and deliveries.
 */
export const insertEvents: Statement<EventRow, InsertedEvent> = {
  name: 'insert-judged-events',
  columns: columnNames(columns),
  text: `
    WITH incoming AS MATERIALIZED (
      SELECT i.*, clock.last_at - before_last * interval '1 microsecond' AS updated_at
        FROM ${unnested(columns, 'i')}
        JOIN unnest($${clocks}::text[], $${clocks + 1}::timestamptz[]) AS clock (tenant, last_at) USING (tenant)
    ), unknown AS MATERIALIZED (
      SELECT i.*, sets.generation, sets.counted
        FROM incoming i
       CROSS JOIN LATERAL (
             SELECT max(f.generation) AS generation, coalesce(bool_or(f.generation = 0), false) AS counted
               FROM fan_outs f
              WHERE f.tenant = i.tenant AND f.event_id = i.id
             OFFSET 0) AS sets
       WHERE (SELECT true FROM events e WHERE e.tenant = i.tenant AND e.id = i.id) IS NULL
    ), inserted AS (
      INSERT INTO events (tenant, id, source_id, event_id, type, receipt_id, origin, dedup_key, received_at, updated_at,
                          ordering_key, traceparent, counted, generation, ${deliveryCounts.join(', ')}, status)
      SELECT u.tenant, u.id, u.source_id, u.event_id, u.type, u.receipt_id, u.origin, u.dedup_key, u.received_at, u.updated_at,
             u.ordering_key, u.traceparent, u.counted, CASE WHEN u.counted THEN u.generation END,
             ${deliveryCounts.map((count) => `c.${count}`).join(', ')},
             CASE WHEN u.counted THEN ${statusByCounts('c')} ELSE 'received' END
        FROM unknown u
       CROSS JOIN LATERAL (
             SELECT ${countColumns()}
               FROM ${countedDeliveries('u', 'u.counted')} AS d
             OFFSET 0) AS c
      ON CONFLICT (tenant, id) DO NOTHING
      RETURNING tenant, id, dedup_key
    ), own_receipts AS (${ownReceipts}
    )
    SELECT tenant, id, dedup_key FROM inserted`,
};
