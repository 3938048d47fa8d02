import type { Stats } from '#lib/api-contract';
import type { TenantContext } from '../../page.ts';
import type { ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import type { Endpoint, EndpointHealth } from './endpoint.ts';

export interface ShownEndpoint {
  endpoint: Endpoint;
  /** Undefined if it could not be asked: the page shows the rest. */
  health: EndpointHealth | undefined;
  stats: Stats | undefined;
  deliveries: readonly Delivery[];
  /** Names by ids. */
  sources: ReadonlyMap<string, string>;
}

const latestDeliveries = 10;

/** All that the page of an endpoint shows. @throws ApiError if there is no such endpoint, or if it can't be told */
export async function readEndpoint(
  { api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>,
  id: string,
): Promise<ShownEndpoint> {
  const [endpoint, health, stats, deliveries] = await Promise.all([
    api.get<Endpoint>(path`/endpoints/${id}`),
    api.ask<EndpointHealth>(path`/endpoints/${id}/health`),
    isCustomer ? undefined : readAttemptStats(api),
    api.list<Delivery>(withQuery('/deliveries', { endpoint_id: id, limit: latestDeliveries })),
  ]);
  return {
    endpoint,
    health: health.ok ? health.value : undefined,
    stats,
    deliveries: deliveries.ok ? deliveries.items : [],
    sources: endpoint.source_ids.length === 0 ? new Map() : await sourceNames(api),
  };
}

/** Attempts by endpoint of the last 24 hours. Undefined: there are too many endpoints for it. */
export async function readAttemptStats(api: ReadApi): Promise<Stats | undefined> {
  const query = { series: 'delivered,failed', by: 'endpoint', step: '1h' } as const;
  const stats = await api.ask('GET /v1/stats', { query });
  return stats.ok ? stats.value : undefined;
}

async function sourceNames(api: ReadApi): Promise<ReadonlyMap<string, string>> {
  const asked = await api.ask<readonly { id: string; name: string }[]>(withQuery('/sources', { limit: mostSources }));
  return new Map((asked.ok ? asked.value : []).map(({ id, name }) => [id, name]));
}
