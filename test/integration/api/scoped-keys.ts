import type { OpenApi } from './api-over-database.ts';

/** The headers of a request with a new key of one scope. */
export async function openKey(
  api: OpenApi,
  tenant: string,
  scope: 'read' | 'write' | 'publish' | 'admin',
): Promise<{ authorization: string }> {
  const body = { name: scope, scopes: [scope] };
  const created = await api.ask({ method: 'POST', path: '/v1/api-keys', body, tenant });
  return { authorization: `Bearer ${created.json<{ key: string }>().key}` };
}
