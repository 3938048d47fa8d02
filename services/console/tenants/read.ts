import type { ApiFailure } from '#client';
import type { Tenant } from '#lib/api-contract';
import type { Asked, ReadApi } from '../api-calls/console-api.ts';
import { type PageResult, problem } from '../page-result.ts';
import type { TenantContext } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { cliCommand } from '../ui/text.ts';

export const findTenant = (api: ReadApi, id: string): Promise<Asked<Tenant>> =>
  api.ask('GET /v1/tenants/:id', { params: { id } });

/** Deleted, or there never was one. */
export const isMissing = (failure: ApiFailure): boolean =>
  failure.kind === 'problem' && [404, 410].includes(failure.status);

/** In place of the tenant: 410 if it was deleted, which the audit of all tenants knows for 400 days. */
export async function withoutTenant(api: ReadApi, id: string, failure: ApiFailure): Promise<PageResult> {
  if (!isMissing(failure)) return problemOfFailure(failure);
  const query = { action: 'tenant.delete', resource: id, limit: 1 };
  const [deletion] = await api.call('GET /v1/audit', { query });
  if (deletion === undefined) return problem(404);
  return problem(410, {
    explanation: `This tenant was deleted at ${deletion.at}. ${cliCommand(`tenants delete ${id}`)} shows how far that has come.`,
  });
}

/** So many are looked at: the list of tenants has the rest. */
const asked = 200;
const shown = 5;

/** Other tenants that have a source or an endpoint, for whoever may list tenants: the operator. None where they can't be asked for. */
export async function findTenantsInUse({
  api,
  tenant,
  can,
}: Pick<TenantContext, 'api' | 'tenant' | 'can'>): Promise<readonly Tenant[]> {
  if (!can('operator')) return [];
  const listed = await api.ask('GET /v1/tenants', { query: { limit: asked } });
  if (!listed.ok) return [];
  return listed.value
    .filter(({ id, counts }) => id !== tenant && counts.sources + counts.endpoints > 0)
    .slice(0, shown);
}
