import type { EndpointHealth } from '#lib/api-contract';
import type { ReadApi } from './console-api.ts';

/** The health of endpoints, by id. One that can't be told is left out. */
export async function askHealth(api: ReadApi, ids: readonly string[]): Promise<ReadonlyMap<string, EndpointHealth>> {
  const asked = await Promise.all(
    ids.map(async (id) => [id, await api.ask('GET /v1/endpoints/:id/health', { params: { id } })] as const),
  );
  return new Map(asked.flatMap(([id, health]) => (health.ok ? [[id, health.value]] : [])));
}
