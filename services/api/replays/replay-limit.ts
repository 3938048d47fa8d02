import type { Query } from '#lib/postgres';
import { unfinishedByTenant, unfinishedReplays } from '#lib/replay-store';
import type { LimitName } from '#lib/tenancy';
import type { RouteDeps } from '../route.ts';

/**
 * The limit that keeps a tenant from asking for another replay. Asked before it is made, by which several at once may go a few beyond it:
 * they cost the tenant's own turns alone.
 *
 * @param kind what is asked for: of `several` items one alone may match, which counts among the single ones
 */
export async function replayLimitReached(
  { limits, usage }: Pick<RouteDeps, 'limits' | 'usage'>,
  query: Query,
  tenant: string,
  kind: 'one' | 'several',
): Promise<LimitName | undefined> {
  const { single, bulk } = await unfinishedReplays(query, tenant);
  const reached =
    single >= limits.of(tenant, 'single_replays')
      ? 'single_replays'
      : kind === 'several' && bulk >= limits.of(tenant, 'replays')
        ? 'replays'
        : undefined;
  if (reached !== undefined) usage.reached(reached);
  return reached;
}

/** Has it shown who is near these limits, as of the last call of what it returns. */
export function showReplayUsage(postgres: Query, usage: Pick<RouteDeps['usage'], 'show'>): () => Promise<void> {
  let rows: Awaited<ReturnType<typeof unfinishedByTenant>> = [];
  usage.show('single_replays', () => rows.map(({ tenant, single }) => [tenant, single]));
  usage.show('replays', () => rows.map(({ tenant, bulk }) => [tenant, bulk]));
  return async () => {
    rows = await unfinishedByTenant(postgres);
  };
}
