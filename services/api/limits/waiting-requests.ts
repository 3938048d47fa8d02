/**
 * Requests of a tenant that wait in this process, for a connection to the database or for their turn to be published: how many may, and
 * for how long.
 */
import { AppError } from '#lib/runtime';
import { LimitReached, type TenantLimits, type TenantUsage } from '#lib/tenancy';

type Counts = Iterable<readonly [tenant: string, waiting: number]>;

export interface WaitingRequests {
  waitTimeoutMs: number;
  /**
   * Applies to each place separately: a group that waits for its connection is not refused because of requests waiting for the next group.
   */
  maxWaiting(tenant: string): number;
  refuse(tenant: string, why: 'full' | 'late'): Error;
  /** How many of the tenant wait now, at the place with the most. */
  of(tenant: string): number;
  /** Shows the waiting requests in the usage metric. */
  show(waiting: () => Counts): void;
}

/** Less than the pool's own time-out for a connection. */
const waitTimeoutMs = 4_000;

export function createWaitingRequests({
  limits,
  usage,
}: {
  limits: TenantLimits;
  usage: TenantUsage;
}): WaitingRequests {
  const places: (() => Counts)[] = [];
  const waitingNow = (): ReadonlyMap<string, number> => {
    const most = new Map<string, number>();
    for (const waiting of places)
      for (const [tenant, count] of waiting()) most.set(tenant, Math.max(most.get(tenant) ?? 0, count));
    return most;
  };
  usage.show('waiting_requests', waitingNow);
  return {
    waitTimeoutMs,
    maxWaiting: (tenant) => limits.of(tenant, 'waiting_requests'),
    refuse(tenant, why) {
      // The database may be slow: only the number of requests is the tenant's own.
      if (why === 'late')
        return new AppError('store_unavailable', `no turn for ${tenant} at the database within ${waitTimeoutMs} ms`);
      usage.reached('waiting_requests');
      return new LimitReached(tenant, 'waiting_requests');
    },
    of: (tenant) => waitingNow().get(tenant) ?? 0,
    show: (waiting) => void places.push(waiting),
  };
}
