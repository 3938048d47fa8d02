import { isDeepStrictEqual } from 'node:util';
import type { Query } from '#lib/postgres';
import type { LimitName, TenantLimits } from '#lib/tenancy';
import type { EndpointContent } from './endpoint.ts';
import type { Named } from './resource-table.ts';
import { isFull } from './tenant-room.ts';

/**
 * The limit that forbids a change of an endpoint's subscription, which adds to its history. The row is locked. Disabling and deleting must
 * always be possible, and are not checked here; undoing them is.
 */
export async function limitOfChange(
  tx: Query,
  { tenant, id }: Named,
  limits: TenantLimits,
): Promise<LimitName | undefined> {
  const [row] = await tx.query<{ changes: number; bytes: number }>(
    'SELECT jsonb_array_length(history) AS changes, history_bytes AS bytes FROM endpoints WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
  if ((row?.changes ?? 0) >= limits.of(tenant, 'endpoint_changes')) return 'endpoint_changes';
  if ((row?.bytes ?? 0) >= limits.of(tenant, 'endpoint_change_bytes')) return 'endpoint_change_bytes';
  return (await isFull(tx, { tenant, kind: 'endpoints', limits })) ? 'endpoint_bytes' : undefined;
}

/** The limit that forbids an update: that of a subscription change, or `endpoint_bytes` if the endpoint becomes larger. */
export async function limitOfUpdate(
  tx: Query,
  named: Named,
  { before, after, limits }: { before: EndpointContent; after: EndpointContent; limits: TenantLimits },
): Promise<LimitName | undefined> {
  const got = ({ event_types, source_ids, filter }: EndpointContent): unknown => [event_types, source_ids, filter];
  if (!isDeepStrictEqual(got(before), got(after))) return limitOfChange(tx, named, limits);
  const grows = JSON.stringify(after).length > JSON.stringify(before).length;
  return grows && (await isFull(tx, { tenant: named.tenant, kind: 'endpoints', limits }))
    ? 'endpoint_bytes'
    : undefined;
}
