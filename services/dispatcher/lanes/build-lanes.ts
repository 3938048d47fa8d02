import { randomUUID } from 'node:crypto';
import { createRateLimiter, createRedisBuckets, type RateLimiter } from '#lib/rate-limit';
import type { Redis } from '#lib/redis';
import type { ServiceContext } from '#lib/service-host';
import { createTenantLimits, createTenantUsage } from '#lib/tenancy';
import type { DispatcherConfig } from '../config.ts';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import { laneKey } from '../model/job.ts';
import type { Membership } from '../model/membership.ts';
import { dispatcherShares } from './jobs-in-hand.ts';
import { createScheduler, type SchedulerDeps, type SchedulerLimits, type TakePermit } from './scheduler.ts';

interface Deps extends Pick<SchedulerDeps, 'run' | 'park' | 'giveUp' | 'onFailure'> {
  config: DispatcherConfig;
  context: Pick<ServiceContext, 'clock' | 'log' | 'metrics'>;
  redis: Redis;
  endpoints: Pick<Endpoints, 'directory' | 'health'>;
  membership: Membership;
}

/** Waiting deliveries in one lane, and in all: a lane sends them before the table is read again, about 0.3 s later. */
const rowPlaces = 500;
const totalRowPlaces = 4_000;
/** For the last commit and the last removals, once the lanes have drained. */
const stopReserveMs = 5_000;

/** The lanes of all endpoints, and their scheduler. */
export function buildLanes({ config, context, redis, endpoints, membership, ...deps }: Deps) {
  const { clock, log, metrics } = context;
  const { directory, health } = endpoints;
  const usage = createTenantUsage(metrics, createTenantLimits(config.tenantLimits));
  const buckets = createRedisBuckets({ redis, prefix: `${config.topicPrefix}rate:endpoint:`, processId: randomUUID() });
  const scheduler = createScheduler({
    ...deps,
    limits: limitsOf(config),
    clock,
    health,
    paceOf: ({ tenant, endpointId }) => directory.get(tenant, endpointId)?.pace,
    takePermit: createTakePermit(createRateLimiter({ buckets, clock, log })),
    holdsMembership: membership.holds,
    onHeldBack: usage.reached,
    drainMs: Math.max(1_000, config.shutdownTimeoutMs - stopReserveMs),
  });
  for (const share of dispatcherShares) usage.showShare(share, () => scheduler.usage(share));
  return scheduler;
}

const limitsOf = (config: DispatcherConfig): SchedulerLimits => ({
  inFlight: config.maxInFlight,
  lane: { records: config.laneRecords, bytes: config.laneBytes, rows: rowPlaces },
  totalRecords: config.queueRecords,
  totalBytes: config.queueBytes,
  totalRows: totalRowPlaces,
});

/** One bucket for each endpoint, shared by all dispatchers: a new owner of its partition resumes with the permits that the old one left. */
const createTakePermit =
  (limiter: RateLimiter): TakePermit =>
  async (endpoint, pace) => {
    const permit = await limiter.take(laneKey(endpoint), pace);
    return permit.granted ? 0 : Math.max(1, permit.retryAfterMs);
  };
