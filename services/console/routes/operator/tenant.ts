import type { LimitName } from '#lib/tenancy';
import type { ReadApi } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { type PageResult, problem } from '../../page-result.ts';

/** A tenant of `GET /v1/tenants`. */
export interface Tenant {
  id: string;
  name: string;
  /** Those that hold. */
  limits: Readonly<Record<LimitName, number>>;
  own_limits: Readonly<Partial<Record<LimitName, number>>>;
  counts: Readonly<Record<'sources' | 'endpoints' | 'api_keys' | 'source_bytes' | 'endpoint_bytes', number>>;
}

/** The API lists tenants in the order of their ids, and has no request for one of them. */
const pageSize = 1_000;
const maxPages = 50;

export async function findTenant(api: ReadApi, id: string): Promise<Tenant | undefined> {
  let parameters: URLSearchParams | undefined = new URLSearchParams({ limit: String(pageSize) });
  for (let pages = 0; parameters !== undefined && pages < maxPages; pages += 1) {
    const listed: Awaited<ReturnType<typeof api.list<Tenant>>> = await api.list<Tenant>('/tenants', parameters);
    if (!listed.ok) return undefined;
    const found = listed.items.find((tenant) => tenant.id === id);
    if (found !== undefined) return found;
    parameters = listed.next;
  }
  return undefined;
}

/** The page of a tenant that is not listed: 410 if it was deleted, which the audit of all tenants knows for 400 days. */
export async function missingTenant(api: ReadApi, id: string): Promise<PageResult> {
  const [deletion] = await api.get<readonly { at: string }[]>(
    withQuery('/audit', { action: 'tenant.delete', resource: id, limit: 1 }),
  );
  if (deletion === undefined) return problem(404);
  return problem(410, {
    explanation: `This tenant was deleted at ${deletion.at}. ./hookline tenants delete ${id} shows how far that has come.`,
  });
}
