import type { Query } from '#lib/postgres';
import type { LimitName, TenantLimits } from '#lib/tenancy';

/** What is counted by tenant as rows come and go: a trigger keeps `tenant_resources` (deploy/postgres/migrations). */
export type CountedKind = 'sources' | 'endpoints';

export interface Room {
  tenant: string;
  kind: CountedKind;
  limits: TenantLimits;
}

const bytesLimit = { sources: 'source_bytes', endpoints: 'endpoint_bytes' } as const satisfies Record<
  CountedKind,
  LimitName
>;

/**
 * `room`, of a statement that makes one more: a row where there is room for it, else none. Others of the tenant who make one meanwhile wait
 * for this transaction's end, so that two at once do not both take the last place. The values are $1, the tenant, and from `first` on those
 * of `roomValues`.
 */
export const roomExpression = (kind: CountedKind, first: number): string => `room AS (
  INSERT INTO tenant_resources AS counted (tenant, kind)
  SELECT $1, '${kind}' WHERE $${first}::integer > 0
  ON CONFLICT (tenant, kind) DO UPDATE
     SET live = counted.live
   WHERE counted.live < $${first}::integer AND counted.bytes < $${first + 1}::bigint
  RETURNING tenant)`;

export const roomValues = ({ tenant, kind, limits }: Room): number[] => [
  limits.of(tenant, kind),
  limits.of(tenant, bytesLimit[kind]),
];

/** Why there was no room. */
export async function limitOfRoom(postgres: Query, room: Room): Promise<LimitName> {
  return (await isFull(postgres, room)) ? bytesLimit[room.kind] : room.kind;
}

/** Whether nothing may grow. */
export async function isFull(postgres: Query, { tenant, kind, limits }: Room): Promise<boolean> {
  const [counted] = await postgres.query<{ bytes: string }>(
    'SELECT bytes FROM tenant_resources WHERE tenant = $1 AND kind = $2',
    [tenant, kind],
  );
  return Number(counted?.bytes ?? 0) >= limits.of(tenant, bytesLimit[kind]);
}
