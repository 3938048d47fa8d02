import type { ApiKey } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { Rate } from '#lib/rate-limit';
import type { TenantLimits } from '#lib/tenancy';
import { createResourceTable, type ResourceRow } from '../resources/resource-table.ts';
import { type Room, roomExpression, roomValues } from '../resources/tenant-room.ts';

export type GivenRate = ApiKey['rate_limit'];

interface ApiKeyRow extends ResourceRow, Omit<ApiKey, 'rate_limit'> {
  /** Null: the default rate. */
  rate_limit: GivenRate | null;
}

const columns = 'id, name, scopes, rate_limit, revision, created_at, last_used_at, deleted_at';

export const apiKeyTable = createResourceTable<ApiKeyRow, { hash: Buffer }>('api_keys', 'key', columns, 'hash');

/** The key as clients see it: not its text, which is kept nowhere. */
export function apiKeyOf(row: ApiKeyRow, usual: Rate): ApiKey {
  const { id, name, scopes, created_at, last_used_at } = row;
  const rate_limit = row.rate_limit ?? { per_second: usual.perSecond, burst: usual.burst };
  return { id, name, scopes, rate_limit, created_at, last_used_at };
}

interface NewApiKey extends Pick<ApiKeyRow, 'id' | 'name' | 'scopes' | 'rate_limit'> {
  tenant: string;
  hash: Buffer;
}

/** Undefined: the tenant has reached a limit. */
export async function insertApiKey(
  postgres: Query,
  key: NewApiKey,
  limits: TenantLimits,
): Promise<ApiKeyRow | undefined> {
  const { tenant, id, name, scopes, hash, rate_limit } = key;
  const [row] = await postgres.query<ApiKeyRow>(
    `WITH ${roomExpression('api_keys', 7)}
     INSERT INTO api_keys (tenant, id, name, scopes, hash, rate_limit)
     SELECT tenant, $2, $3, $4, $5::bytea, $6::jsonb
       FROM room
     RETURNING ${columns}`,
    [
      ...[tenant, id, name, scopes, hash, rate_limit === null ? null : JSON.stringify(rate_limit)],
      ...roomValues(apiKeyRoom(tenant, limits)),
    ],
  );
  return row;
}

export const apiKeyRoom = (tenant: string, limits: TenantLimits): Room => ({ tenant, kind: 'api_keys', limits });
