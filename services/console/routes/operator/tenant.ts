import type { ApiFailure } from '#lib/api-client';
import type { LimitName } from '#lib/tenancy';
import type { Asked, ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { type PageResult, problem } from '../../page-result.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';

/** A tenant as `GET /v1/tenants` lists it, and as it is read by its id. */
export interface Tenant {
  id: string;
  name: string;
  /** The limits that hold. */
  limits: Readonly<Record<LimitName, number>>;
  own_limits: Readonly<Partial<Record<LimitName, number>>>;
  counts: Readonly<Record<'sources' | 'endpoints' | 'api_keys' | 'source_bytes' | 'endpoint_bytes', number>>;
}

export const findTenant = (api: ReadApi, id: string): Promise<Asked<Tenant>> => api.ask<Tenant>(path`/tenants/${id}`);

/** Deleted, or there never was one. */
export const isMissing = (failure: ApiFailure): boolean =>
  failure.kind === 'problem' && [404, 410].includes(failure.status);

/** In place of the tenant: 410 if it was deleted, which the audit of all tenants knows for 400 days. */
export async function withoutTenant(api: ReadApi, id: string, failure: ApiFailure): Promise<PageResult> {
  if (!isMissing(failure)) return problemOfFailure(failure);
  const [deletion] = await api.get<readonly { at: string }[]>(
    withQuery('/audit', { action: 'tenant.delete', resource: id, limit: 1 }),
  );
  if (deletion === undefined) return problem(404);
  return problem(410, {
    explanation: `This tenant was deleted at ${deletion.at}. ${cliCommand(`tenants delete ${id}`)} shows how far that has come.`,
  });
}
