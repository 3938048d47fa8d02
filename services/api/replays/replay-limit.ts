import type { Query } from '#lib/postgres';
import { unfinishedByTenant, unfinishedReplays } from '#lib/replay-store';
import type { LimitName } from '#lib/tenancy';
import type { RouteDeps } from '../route.ts';

/**
 * The limit that forbids a tenant another replay. It is checked before the insert, so several concurrent requests may exceed it by a few,
 * which only costs the tenant's own turns.
 *
 * @param kind the requested kind: a replay of `several` items that matches one counts as a single one
 */
export async function replayLimitReached(
  { limits }: Pick<RouteDeps, 'limits'>,
  query: Query,
  tenant: string,
  kind: 'one' | 'several',
): Promise<LimitName | undefined> {
  const { single, bulk } = await unfinishedReplays(query, tenant);
  if (single >= limits.of(tenant, 'single_replays')) return 'single_replays';
  return kind === 'several' && bulk >= limits.of(tenant, 'replays') ? 'replays' : undefined;
}

/** Shows the tenants near these limits, as of the last call of the returned function. */
export function showReplayUsage(postgres: Query, usage: Pick<RouteDeps['usage'], 'show'>): () => Promise<void> {
  let rows: Awaited<ReturnType<typeof unfinishedByTenant>> = [];
  usage.show('single_replays', () => rows.map(({ tenant, single }) => [tenant, single]));
  usage.show('replays', () => rows.map(({ tenant, bulk }) => [tenant, bulk]));
  return async () => {
    rows = await unfinishedByTenant(postgres);
  };
}
