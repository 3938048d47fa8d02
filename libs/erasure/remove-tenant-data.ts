/** Removes all rows of a deleted tenant, table by table in the order of the list, in pages. Again, it removes what has come meanwhile. */
import type { Query } from '#lib/postgres';
import { tenantTableNames, type TenantTableName, tenantTables } from './tenant-data.ts';

const rowsAtOnce = 2_000;

/** Their rows are needed by their own erasing: services/api/erasing. */
const apart: readonly TenantTableName[] = ['idempotency_keys'];

const isPaged = (table: TenantTableName): boolean => tenantTables[table].deletion !== 'last' && !apart.includes(table);

/** The tables whose rows go, in order. */
export const removedTables = tenantTableNames.filter(isPaged);

const findKey = `
  SELECT a.attname AS column
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
   WHERE i.indrelid = $1::regclass AND i.indisprimary
   ORDER BY array_position(i.indkey::int2[], a.attnum)`;

async function primaryKey(query: Query, table: TenantTableName): Promise<string> {
  const columns = await query.query<{ column: string }>(findKey, [table]);
  return columns.map(({ column }) => column).join(', ');
}

/** Removes, or buries, the next rows of the table. @returns how many; none: that was all */
export async function removeTenantPage(query: Query, tenant: string, table: TenantTableName): Promise<number> {
  const { deletion } = tenantTables[table];
  const key = await primaryKey(query, table);
  const of = (condition: string): string =>
    `(SELECT ${key} FROM ${table} WHERE tenant = $1 AND ${condition} ORDER BY ${key} LIMIT ${rowsAtOnce}) AS page`;
  const same = key
    .split(', ')
    .map((column) => `t.${column} = page.${column}`)
    .join(' AND ');
  const text =
    typeof deletion === 'string'
      ? `DELETE FROM ${table} t USING ${of('true')} WHERE ${same} RETURNING 1`
      : `UPDATE ${table} t SET ${deletion.buried}, buried = true${table === 'tenants' ? '' : ', deleted_at = coalesce(deleted_at, clock_timestamp())'}
           FROM ${of('NOT buried')} WHERE ${same} RETURNING 1`;
  return (await query.query(text, [tenant])).length;
}

/** Removes the tenant's tombstones, when nothing of it can come any more: the name may be used again. */
export async function forgetTenant(tx: Query, tenant: string): Promise<void> {
  for (const table of tenantTableNames) await tx.query(`DELETE FROM ${table} WHERE tenant = $1`, [tenant]);
}
