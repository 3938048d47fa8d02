import type { Tenant } from '#lib/api-contract';
import { type FollowedRow, followTable, type Query, type Readings } from '#lib/postgres';
import type { Clock, Logger, Part } from '#lib/runtime';
import type { TenantLimits } from '#lib/tenancy';

/** About: a row has at most each limit once. */
const rowBytes = 600;

interface TenantRow extends FollowedRow {
  limits: Tenant['own_limits'];
}

interface Options {
  /** Limits from the settings, for tenants without a limit of their own. */
  settings: TenantLimits;
  followPostgres: Query;
  clock: Clock;
  log: Logger;
}

/** The limits of tenants: what the operator has set for one by the API holds in every process within two seconds. */
export function followLimits({
  settings,
  followPostgres,
  clock,
  log,
}: Options): Part & TenantLimits & Pick<Readings, 'recent'> {
  const rows = new Map<string, TenantRow>();
  const table = followTable<TenantRow>({
    table: 'tenants',
    columns: 'tenant, id, limits, changed_at, buried',
    bytes: String(rowBytes),
    postgres: followPostgres,
    clock,
    log,
    knownChangedAt: ({ tenant }) => rows.get(tenant)?.changed_at,
    takeRows: (taken) => taken.forEach((row) => rows.set(row.tenant, row)),
  });
  return {
    ...table,
    of: (tenant, limit) => rows.get(tenant)?.limits[limit] ?? settings.of(tenant, limit),
  };
}
