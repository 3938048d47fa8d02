import type { Rate } from '#lib/rate-limit';
import type { TenantLimits } from '#lib/tenancy';

const burstSeconds = 2;

/** What all keys of a tenant may ask together, and so the highest that one of them can be given. */
export function tenantRate(limits: TenantLimits, tenant: string): Rate {
  const perSecond = limits.of(tenant, 'requests_per_second');
  return { perSecond, burst: burstSeconds * perSecond };
}
