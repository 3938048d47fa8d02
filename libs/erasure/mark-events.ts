import { sourceDefaults } from '#lib/contract';
import { reservedInstants, run, takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { AppError } from '#lib/runtime';
import { emptying } from './tenant-data.ts';

interface Marking {
  tenant: string;
  erasureId: string;
  ids: readonly string[];
}

/**
 * The first write of an erasure. `names`: hashes of what jobs and stored answers may call the event by, so that these are found after the row
 * has forgotten it.
 */
const insertErased = `
  INSERT INTO erased (tenant, id, erasure_id, dedup_key, names)
  SELECT tenant, id, $2, dedup_key,
         ARRAY (SELECT sha256(convert_to(name, 'UTF8'))
                  FROM (SELECT unnest(ARRAY[id, receipt_id, event_id, ordering_key])
                        UNION
                        SELECT unnest(ARRAY[value, key || ':' || value]) FROM jsonb_each_text(tags)) AS named (name)
                 WHERE name <> '')
    FROM events
   WHERE tenant = $1 AND id = ANY ($3::text[]) AND status <> 'erased'
   ORDER BY id
  ON CONFLICT DO NOTHING
  RETURNING id`;

/** So that it expires, and a redelivery of its webhook does not publish it again. Rows are locked in the order in which dedup locks them. */
const completeKeys = `
  WITH open AS (
    SELECT d.tenant, d.key,
           coalesce((s.settings ->> 'dedup_ttl_seconds')::float8, ${sourceDefaults.dedup_ttl_seconds}) AS ttl_seconds
      FROM events e
      JOIN dedup_keys d ON d.tenant = e.tenant AND d.key = e.dedup_key AND d.event_id = e.id AND d.expires_at IS NULL
      LEFT JOIN sources s ON s.tenant = e.tenant AND s.id = e.source_id
     WHERE e.tenant = $1 AND e.id = ANY ($2::text[])
     ORDER BY d.tenant, d.key
       FOR UPDATE OF d
  )
  UPDATE dedup_keys d
     SET origin = NULL, expires_at = clock_timestamp() + make_interval(secs => open.ttl_seconds)
    FROM open
   WHERE d.tenant = open.tenant AND d.key = open.key`;

const removeTags = `
  DELETE FROM event_tags t
   USING (SELECT e.id, g.name || ':' || g.value AS tag
            FROM events e CROSS JOIN LATERAL jsonb_each_text(e.tags) AS g (name, value)
           WHERE e.tenant = $1 AND e.id = ANY ($2::text[])) AS of_event
   WHERE t.tenant = $1 AND t.tag = of_event.tag AND t.event_id = of_event.id`;

const emptyEvents = `
  UPDATE events e
     SET ${emptying('events')}, updated_at = marked.at
    FROM unnest($2::text[], $3::timestamptz[]) AS marked (id, at)
   WHERE e.tenant = $1 AND e.id = marked.id`;

/**
 * Marks events as erased and empties their rows, each with a new `updated_at`, under the tenant's clock: every later transaction that takes
 * it sees the mark, and every poller is told. What belongs to them is removed after the commit (remove-event-data.ts).
 *
 * @returns the ids that were marked now
 */
export async function markEvents(tx: Query, { tenant, erasureId, ids }: Marking): Promise<string[]> {
  const [reading] = await run(tx, takeClocks, [{ tenant, n: ids.length }]);
  const marked = await tx.query<{ id: string }>(insertErased, [tenant, erasureId, ids]);
  const markedIds = marked.map(({ id }) => id);
  if (markedIds.length === 0) return [];
  await tx.query(completeKeys, [tenant, markedIds]);
  await tx.query(removeTags, [tenant, markedIds]);
  await tx.query(emptyEvents, [tenant, markedIds, reservedInstants(reading, ids.length).slice(0, markedIds.length)]);
  return markedIds;
}

/** The tenant was deleted while something was written for it: the transaction rolls back. */
export class TenantDeleted extends AppError {
  constructor(tenant: string) {
    super('data_invalid', `the tenant ${tenant} was deleted`);
    this.name = 'TenantDeleted';
  }
}

/**
 * SQL: a row if the tenant was deleted. Selected by the statement that writes, so that it is answered as of then: a transaction from before
 * the mark is waited for by the deletion, and one from after it throws TenantDeleted.
 */
export const ifDeleted = (tenant: string): string => `SELECT FROM erased x WHERE x.tenant = ${tenant} AND x.id = ''`;
