import type { RateLimiter } from '#lib/rate-limit';
import { laneKey } from '../model/job.ts';
import type { TakePermit } from './scheduler.ts';

/** One bucket for each endpoint, shared by all dispatchers: a new owner of its partition resumes with the permits that the old one left. */
export const createTakePermit =
  (limiter: RateLimiter): TakePermit =>
  async (endpoint, pace) => {
    const permit = await limiter.take(laneKey(endpoint), pace);
    return permit.granted ? 0 : Math.max(1, permit.retryAfterMs);
  };
