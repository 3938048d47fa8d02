import type { ReadApi } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { endpointNames } from '../../api-calls/tenant-names.ts';
import type { EndpointNames } from '../../pages/events/endpoint-names.ts';

interface NamedEndpoint {
  id: string;
  url: string;
  description?: string;
}

/** As many are called by their descriptions, others by their URLs. */
const maxNamed = 200;

/** The tenant's endpoints by their names. @param more those of which the caller knows the URL */
export async function namedEndpoints(api: ReadApi, more: readonly NamedEndpoint[] = []): Promise<EndpointNames> {
  const listed = await api.list<NamedEndpoint>(withQuery('/endpoints', { limit: maxNamed }));
  const described = listed.ok ? listed.items : [];
  const byId = new Map([...more, ...described].map((endpoint) => [endpoint.id, endpoint]));
  const urls = endpointNames([...byId.values()].map(({ id, url }) => ({ id, url })));
  return new Map(
    [...byId.values()].map(({ id, url, description = '' }) => [id, { description, url: urls.get(id) ?? url }]),
  );
}
