import { isDeepStrictEqual } from 'node:util';
import type { Tenant } from '#lib/api-contract';
import { isNotErased } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { type LimitName, limitNames, type TenantLimits } from '#lib/tenancy';
import type { PageRequest } from '../http/paging.ts';
import type { CountedKind } from '../resources/tenant-room.ts';

export interface TenantContent {
  name: string;
  limits: Tenant['own_limits'];
}

interface TenantRow {
  id: string;
  /** Null, as the limits: the operator has said nothing of it. */
  name: string | null;
  limits: TenantContent['limits'] | null;
  counted: Partial<Record<CountedKind, { live: number; bytes: number }>> | null;
}

/** Settings that the operator has given a tenant. */
const contentOf = ({ name, limits }: Pick<TenantRow, 'name' | 'limits'>): TenantContent => ({
  name: name ?? '',
  limits: limits ?? {},
});

/**
 * The tenant as the operator sees it.
 *
 * @param settings the limits of tenants without their own
 */
export function tenantOf(row: TenantRow, settings: TenantLimits): Tenant {
  const { name, limits } = contentOf(row);
  return {
    id: row.id,
    name,
    limits: limitsBy((limit) => limits[limit] ?? settings.of(row.id, limit)),
    own_limits: limits,
    counts: countsOf(row),
  };
}

const limitsBy = (of: (limit: LimitName) => number): Tenant['limits'] =>
  Object.fromEntries(limitNames.map((limit) => [limit, of(limit)])) as Tenant['limits'];

/** The counts that a trigger keeps, by the names of their limits. */
export function countsOf({ counted }: Pick<TenantRow, 'counted'>) {
  const { sources, endpoints, api_keys: apiKeys } = counted ?? {};
  return {
    sources: sources?.live ?? 0,
    endpoints: endpoints?.live ?? 0,
    api_keys: apiKeys?.live ?? 0,
    source_bytes: sources?.bytes ?? 0,
    endpoint_bytes: endpoints?.bytes ?? 0,
  } as const satisfies Partial<Record<LimitName, number>>;
}

const shown = (page: string): string => `
  SELECT page.tenant AS id, t.name, t.limits,
         (SELECT jsonb_object_agg(r.kind, jsonb_build_object('live', r.live, 'bytes', r.bytes))
            FROM tenant_resources r WHERE r.tenant = page.tenant) AS counted
    FROM ${page} AS page
    LEFT JOIN tenants t ON t.tenant = page.tenant
   ORDER BY page.tenant`;

/** A tenant has a row in one of these. */
const tables = ['tenants', 'tenant_resources', 'tenant_clocks'];

/**
 * Tenants that have something, ever had an event, or were named by the operator, and are not deleted, in the order of their ids. One more than the page holds.
 */
export function queryTenants(postgres: Query, { after, limit }: PageRequest): Promise<TenantRow[]> {
  const next = (table: string): string =>
    `(SELECT DISTINCT tenant FROM ${table} t
       WHERE ($1::text IS NULL OR tenant > $1) AND ${isNotErased('t.tenant', "''")} ORDER BY tenant LIMIT $2)`;
  const known = tables.map(next).join(' UNION ');
  return postgres.query<TenantRow>(shown(`(SELECT tenant FROM (${known}) AS known ORDER BY tenant LIMIT $2)`), [
    after,
    limit + 1,
  ]);
}

/** @returns undefined if `queryTenants` has no such tenant */
export async function findKnownTenant(postgres: Query, tenant: string): Promise<TenantRow | undefined> {
  const isKnown = tables.map((table) => `EXISTS (SELECT FROM ${table} WHERE tenant = $1)`).join(' OR ');
  const [row] = await postgres.query<TenantRow>(
    shown(`(SELECT $1::text AS tenant WHERE (${isKnown}) AND ${isNotErased('$1', "''")})`),
    [tenant],
  );
  return row;
}

/** Also one that has nothing yet. */
export async function findTenant(postgres: Query, tenant: string): Promise<TenantRow> {
  const [row] = await postgres.query<TenantRow>(shown('(SELECT $1::text AS tenant)'), [tenant]);
  return row as TenantRow;
}

/** @returns what it was before; undefined if that is the same */
export async function writeTenant(
  tx: Query,
  tenant: string,
  content: TenantContent,
): Promise<TenantContent | undefined> {
  // Two that put the same tenant at once wait for each other.
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tenants/${tenant}`]);
  const [row] = await tx.query<Pick<TenantRow, 'name' | 'limits'>>(
    'SELECT name, limits FROM tenants WHERE tenant = $1',
    [tenant],
  );
  const before = contentOf(row ?? { name: null, limits: null });
  if (isDeepStrictEqual(before, content)) return undefined;
  await tx.query(
    `INSERT INTO tenants (tenant, name, limits) VALUES ($1, $2, $3)
     ON CONFLICT (tenant) DO UPDATE SET name = $2, limits = $3, changed_at = clock_timestamp()`,
    [tenant, content.name, JSON.stringify(content.limits)],
  );
  return before;
}
