import { type Metrics, type MetricTable, registerMetrics, whenRead } from '#lib/telemetry';
import type { LimitName } from './limit-table.ts';
import type { ShareName } from './share-table.ts';
import type { TenantLimits } from './tenant-limits.ts';

export const tenancyMetrics = {
  usageRatio: {
    kind: 'gauge',
    name: 'hookline_tenant_usage_ratio',
    help: 'Share of a limit that a tenant uses: 1 is at the limit. Only the ten tenants nearest to each limit, from one half on',
    unit: 'limits',
    labels: { limit: 'the limits and shares: docs/tenancy.md', tenant: 'at most ten for each limit' },
  },
  refusals: {
    kind: 'counter',
    name: 'hookline_tenant_limit_reached_total',
    help: 'Times that a tenant was throttled or refused at a limit',
    unit: 'times',
    labels: { limit: 'the limits and shares: docs/tenancy.md' },
  },
} satisfies MetricTable;

/** The use from which a tenant is shown. */
const shownFrom = 0.5;
const mostShown = 10;

export interface TenantUsage {
  /** Shows in the gauge what `used` returns at each reading; once per limit. It must not throw, nor take long. */
  show(limit: LimitName, used: () => Iterable<readonly [tenant: string, used: number]>): void;
  /** The same for shares: `ratios` returns how much of its share each tenant holds. */
  showShare(share: ShareName, ratios: () => Iterable<readonly [tenant: string, ratio: number]>): void;
  reached(limit: LimitName | ShareName): void;
}

/** Shows who is near a limit, and counts who reached one. */
export function createTenantUsage(registry: Metrics, limits: TenantLimits): TenantUsage {
  const metrics = registerMetrics(tenancyMetrics, registry);
  const readers = new Map<LimitName | ShareName, () => Iterable<readonly [string, number]>>();
  whenRead(metrics.usageRatio, (gauge) => {
    gauge.reset();
    for (const [limit, ratios] of readers)
      for (const [tenant, ratio] of nearest(ratios())) gauge.set({ limit, tenant }, ratio);
  });
  const ratiosOf = function* (limit: LimitName, used: Iterable<readonly [string, number]>) {
    // A limit of 0 would show a tenant without any use as full.
    for (const [tenant, count] of used) yield [tenant, count / Math.max(1, limits.of(tenant, limit))] as const;
  };
  return {
    show(limit, used) {
      readers.set(limit, () => ratiosOf(limit, used()));
    },
    showShare(share, ratios) {
      readers.set(share, ratios);
    },
    reached: (limit) => metrics.refusals.inc({ limit }),
  };
}

const nearest = (ratios: Iterable<readonly [string, number]>): (readonly [string, number])[] =>
  [...ratios]
    .filter(([, ratio]) => ratio >= shownFrom)
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostShown);
