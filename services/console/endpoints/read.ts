import { ApiError } from '#client';
import type { Delivery, Endpoint, EndpointHealth, Stats } from '#lib/api-contract';
import { isGone } from '../api-calls/calls.ts';
import type { ReadApi } from '../api-calls/console-api.ts';
import { totalsByKey } from '../api-calls/stats.ts';
import type { TenantContext } from '../page.ts';
import type { Choices } from './form.ts';

type State = Pick<Endpoint, 'disabled_at' | 'paused_at' | 'failing_since'>;

/** The most important part of its state, in one word. @param health where it is known: an open breaker is a failure before it counts as one */
export function endpointStatus(
  { disabled_at, paused_at, failing_since }: State,
  health?: Pick<EndpointHealth, 'breaker'>,
): string {
  if (disabled_at !== null) return 'disabled';
  if (paused_at !== null) return 'paused';
  const isHeldBack = health?.breaker?.state === 'open';
  return failing_since === null && !isHeldBack ? 'enabled' : 'failing';
}

const mostTypes = 40;
const mostSources = 200;
/** Leaves out the statistics' word for all others, and the types that only subscribers by name get. */
const isType = (key: string): boolean => key !== 'other' && !key.startsWith('hookline.');

/** The types that are described for customers. */
async function choicesOfCustomer(api: ReadApi): Promise<Choices> {
  const types = await api.ask('GET /v1/event-types', { query: { limit: mostTypes } });
  const offered = types.ok ? types.value.filter(({ status }) => status !== 'retired') : [];
  return { eventTypes: offered.map(({ name }) => name).sort(), whichTypes: 'Those that are described.', sources: [] };
}

/**
 * The choices of an endpoint's form: the most frequent event types of the last 30 days, and the sources. A list that can't be asked for has none.
 *
 * @throws ApiError if the tenant was deleted
 */
export async function readChoices({ api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>): Promise<Choices> {
  if (isCustomer) return choicesOfCustomer(api);
  const [stats, sources] = await Promise.all([
    api.ask('GET /v1/stats', { query: { series: 'received', by: 'type', step: '1d' } }),
    api.ask('GET /v1/sources', { query: { limit: mostSources } }),
  ]);
  if (!sources.ok && isGone(sources.failure)) throw new ApiError(sources.failure);
  const received = [...(stats.ok ? totalsByKey(stats.value) : [])];
  return {
    eventTypes: received
      .filter(([type]) => isType(type))
      .sort(([, one], [, other]) => other.received - one.received)
      .slice(0, mostTypes)
      .map(([type]) => type)
      .sort(),
    whichTypes: 'Those received lately.',
    sources: [
      ...(sources.ok ? sources.value : []).map(({ id, name }) => ({ value: id, label: name })),
      { value: 'api', label: 'API: events that are published' },
    ],
  };
}

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
    api.call('GET /v1/endpoints/:id', { params: { id } }),
    api.ask('GET /v1/endpoints/:id/health', { params: { id } }),
    isCustomer ? undefined : readAttemptStats(api),
    api.list('GET /v1/deliveries', { query: { endpoint_id: id, limit: latestDeliveries } }),
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
  const asked = await api.ask('GET /v1/sources', { query: { limit: mostSources } });
  return new Map((asked.ok ? asked.value : []).map(({ id, name }) => [id, name]));
}
