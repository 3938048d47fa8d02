import type { ApiResult } from '#lib/api-client';
import { valueOf } from '../../api-calls/api-failure.ts';
import { noteNewTenant } from '../../api-calls/note-new-tenant.ts';
import { openClient } from '../../api-calls/open-client.ts';
import type { Context } from '../../context.ts';
import { print } from '../../output/print.ts';
import { describeStatus, isDown, type Status, type System } from './status-view.ts';

const mostEndpoints = 1_000;

interface StatusValues {
  tenant: string | undefined;
  json: boolean;
}

export async function showStatus({ tenant, json }: StatusValues, context: Context): Promise<number> {
  await noteNewTenant(context, openClient(context, undefined), tenant);
  const client = openClient(context, tenant);
  const [system, failing] = await Promise.all([
    client.request<System>('GET', '/system'),
    client.list<Status['failing_endpoints'][number]>('/endpoints?failing=true', mostEndpoints),
  ]);
  const status: Status = { system: allowed(system), failing_endpoints: valueOf(failing) };
  print(context, status, json, describeStatus);
  return status.system !== null && isDown(status.system) ? 1 : 0;
}

/** Null for the key of a tenant: the system is the operator's. */
function allowed(system: ApiResult<System>): System | null {
  return !system.ok && system.failure.kind === 'problem' && system.failure.status === 403 ? null : valueOf(system);
}
