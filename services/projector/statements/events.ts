import { deliveryCounts } from '#lib/contract';
import {
  arrivedColumns,
  columnNames,
  type EarlyStatRow,
  type GrownKey,
  listed,
  ownReceipts,
  ownTags,
  receiptColumns,
  type RowOf,
  sqlStatus,
  type Statement,
  takeEarlyStats,
  unnested,
} from '#lib/event-store';
import { countColumns, countedDeliveries, statusByCounts } from './moved-counts.ts';

/** An event and its own receipt; its payload is written ahead. */
const columns = {
  ...arrivedColumns,
  body_hash: receiptColumns.body_hash,
  /** By how many microseconds its instant is before the last of those that its tenant's clock has given. */
  before_last: 'int',
} as const;
/** Parameters behind the columns. */
const [clockTenants, clockInstants] = [1, 2].map((n) => `$${columnNames(columns).length + n}`);

export type EventRow = RowOf<typeof columns>;

export interface InsertedEvent extends GrownKey {
  id: string;
  /** Receipts of its key may belong to it that came before. */
  has_unsettled: boolean;
  /** Counts of its deliveries from before it came; null: none. */
  early: Omit<EarlyStatRow, 'tenant' | 'event_id'>[] | null;
}

/**
 * Events with their own receipts, as what is known of their deliveries makes them: one whose first set is known is counted at once, and need not
 * be decided. One that is there already stays as it is. Gives those that are new.
 *
 * Behind the columns come the clocks: tenants, and the last instant of each. Runs after all that writes sets and deliveries.
 */
export const insertEvents: Statement<EventRow, InsertedEvent> = {
  name: 'insert-decided-events',
  columns: columnNames(columns),
  text: `
    WITH incoming AS MATERIALIZED (
      SELECT i.*, clock.last_at - before_last * interval '1 microsecond' AS updated_at
        FROM ${unnested(columns, 'i')}
        JOIN unnest(${clockTenants}::text[], ${clockInstants}::timestamptz[]) AS clock (tenant, last_at) USING (tenant)
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
      INSERT INTO events (${listed(arrivedColumns)}, updated_at, counted, generation, ${deliveryCounts.join(', ')}, status)
      SELECT ${listed(arrivedColumns, 'u')}, u.updated_at, u.counted, CASE WHEN u.counted THEN u.generation END,
             ${deliveryCounts.map((count) => `c.${count}`).join(', ')},
             CASE WHEN u.counted THEN ${statusByCounts('c')} ELSE ${sqlStatus('received')} END
        FROM unknown u
       CROSS JOIN LATERAL (
             SELECT ${countColumns()}
               FROM ${countedDeliveries('u', 'u.counted')} AS d
             OFFSET 0) AS c
      ON CONFLICT (tenant, id) DO NOTHING
      RETURNING tenant, id, dedup_key, tags
    ), own_receipts AS (${ownReceipts}
    ), own_tags AS (${ownTags}
    ), ${takeEarlyStats('inserted')}
    SELECT tenant, id, dedup_key, early,
           (SELECT true FROM receipts r
             WHERE r.tenant = inserted.tenant AND r.dedup_key = inserted.dedup_key AND NOT r.settled
             LIMIT 1) IS TRUE AS has_unsettled
      FROM inserted
      LEFT JOIN early USING (tenant, id)`,
};
