import type { Tenant } from '#lib/api-contract';
import type { ReadApi } from '../../api-calls/console-api.ts';
import type { TenantContext } from '../../page.ts';

/** So many are looked at: the list of tenants has the rest. */
const asked = 200;
const shown = 5;

/** Other tenants that have a source or an endpoint, for whoever may list tenants: the operator. None where they can't be asked for. */
export async function findTenantsInUse({
  api,
  tenant,
  can,
}: Pick<TenantContext, 'tenant' | 'can'> & { api: Pick<ReadApi, 'ask'> }): Promise<readonly Tenant[]> {
  if (!can('operator')) return [];
  const listed = await api.ask('GET /v1/tenants', { query: { limit: asked } });
  if (!listed.ok) return [];
  return listed.value
    .filter(({ id, counts }) => id !== tenant && counts.sources + counts.endpoints > 0)
    .slice(0, shown);
}
