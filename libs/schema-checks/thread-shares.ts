/**
 * The part of the thread's time that each tenant may have, so that no tenant's slow schemas keep the others waiting: a bucket of milliseconds, which
 * fills with `share` of the time that passes, up to `burstMs`. A check begins while there is something left, and may take more than that.
 */
export interface ThreadShares {
  hasSome(tenant: string, nowMs: number): boolean;
  spend(tenant: string, ms: number, nowMs: number): void;
}

/** Beyond so many the one that spent longest ago is forgotten: its bucket is the likeliest to be full. */
const maxTenants = 1_000;

/** @param share of one core, 0 to 1 */
export function createThreadShares({ share, burstMs }: { share: number; burstMs: number }): ThreadShares {
  const buckets = new Map<string, { leftMs: number; atMs: number }>();
  const leftAt = (tenant: string, nowMs: number): number => {
    const bucket = buckets.get(tenant);
    return bucket === undefined ? burstMs : Math.min(burstMs, bucket.leftMs + (nowMs - bucket.atMs) * share);
  };
  return {
    hasSome: (tenant, nowMs) => leftAt(tenant, nowMs) > 0,
    spend(tenant, ms, nowMs) {
      const leftMs = leftAt(tenant, nowMs) - ms;
      buckets.delete(tenant);
      buckets.set(tenant, { leftMs, atMs: nowMs });
      const [oldest] = buckets.keys();
      if (buckets.size > maxTenants && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
