import { run, takeClocks } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { type ErasureRow, findErasureOf, insertErasure } from './erasure-row.ts';

/** Its senders and keys are refused from the commit on; the rows themselves go later. */
const closed = ['sources', 'api_keys'];

/**
 * Marks the tenant as deleted, under its clock: whatever takes that later sees it.
 *
 * @returns its erasure, and whether it is new
 */
export async function deleteTenantRows(
  tx: Query,
  { tenant, id, asOf }: { tenant: string; id: string; asOf: string },
): Promise<{ erasure: ErasureRow; isNew: boolean }> {
  await run(tx, takeClocks, [{ tenant, n: 1 }]);
  const marked = await tx.query(
    `INSERT INTO erased (tenant, id, erasure_id) VALUES ($1, '', $2) ON CONFLICT DO NOTHING RETURNING id`,
    [tenant, id],
  );
  if (marked.length === 0) return { erasure: (await findErasureOf(tx, tenant, '')) as ErasureRow, isNew: false };
  for (const table of closed)
    await tx.query(
      `UPDATE ${table} SET deleted_at = clock_timestamp(), changed_at = clock_timestamp()
        WHERE tenant = $1 AND deleted_at IS NULL`,
      [tenant],
    );
  const facts = { tenant, id, kind: 'tenant', state: 'removing', filter: null, event_id: null } as const;
  return { erasure: await insertErasure(tx, { ...facts, as_of: asOf, events: 0 }), isNew: true };
}
