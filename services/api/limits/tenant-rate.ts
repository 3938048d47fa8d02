import type { Rate } from '#lib/rate-limit';
import type { TenantLimits } from '#lib/tenancy';

const burstSeconds = 2;

/** The bucket of a key or a portal session; that of a tenant is its name. */
export const credentialBucket = (tenant: string, id: string): string => `${tenant}:${id}`;

/** The rate of all keys of a tenant together, and so the highest of a single key. */
export function tenantRate(limits: TenantLimits, tenant: string): Rate {
  const perSecond = limits.of(tenant, 'requests_per_second');
  return { perSecond, burst: burstSeconds * perSecond };
}
