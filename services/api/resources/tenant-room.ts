import type { Query } from '#lib/postgres';
import type { LimitName, TenantLimits } from '#lib/tenancy';

/** Counters per tenant: a trigger keeps `tenant_resources` up to date (deploy/postgres/migrations). */
export type CountedKind = keyof typeof limitsOfKind;

export interface Room {
  tenant: string;
  kind: CountedKind;
  limits: TenantLimits;
}

const limitsOfKind = {
  sources: { live: 'sources', bytes: 'source_bytes' },
  endpoints: { live: 'endpoints', bytes: 'endpoint_bytes' },
  // All keys have about the same size.
  api_keys: { live: 'api_keys', bytes: undefined },
} as const satisfies Record<string, { live: LimitName; bytes: LimitName | undefined }>;

/**
 * The CTE `room` of an insert: a row if the tenant has room for one more, else none. Concurrent inserts of the tenant wait for the end of
 * this transaction, so two never take the same last place. The values are $1, the tenant, and from `first` on those of `roomValues`.
 */
export const roomExpression = (kind: CountedKind, first: number): string => `room AS (
  INSERT INTO tenant_resources AS counted (tenant, kind)
  SELECT $1, '${kind}' WHERE $${first}::integer > 0
  ON CONFLICT (tenant, kind) DO UPDATE
     SET live = counted.live
   WHERE counted.live < $${first}::integer AND counted.bytes < $${first + 1}::bigint
  RETURNING tenant)`;

export const roomValues = (room: Room): number[] => [
  room.limits.of(room.tenant, limitsOfKind[room.kind].live),
  mostBytes(room),
];

/** Why there was no room. */
export async function limitOfRoom(postgres: Query, room: Room): Promise<LimitName> {
  const { live, bytes } = limitsOfKind[room.kind];
  return bytes !== undefined && (await isFull(postgres, room)) ? bytes : live;
}

/** Whether nothing may grow. */
export async function isFull(postgres: Query, room: Room): Promise<boolean> {
  const [counted] = await postgres.query<{ bytes: string }>(
    'SELECT bytes FROM tenant_resources WHERE tenant = $1 AND kind = $2',
    [room.tenant, room.kind],
  );
  return Number(counted?.bytes ?? 0) >= mostBytes(room);
}

function mostBytes({ tenant, kind, limits }: Room): number {
  const { bytes } = limitsOfKind[kind];
  return bytes === undefined ? Number.MAX_SAFE_INTEGER : limits.of(tenant, bytes);
}
