import type { RateLimiter } from '#lib/rate-limit';
import type { Refused } from '../receiving/outcome.ts';
import type { ActiveSource } from '../sources/source.ts';

/** The refusal of a webhook above its source's rate; undefined below it. */
export type RateGate = (source: ActiveSource) => Promise<Refused | undefined>;

export function createRateGate(limiter: RateLimiter): RateGate {
  return async (source) => {
    if (source.rateLimit === undefined) return undefined;
    const permit = await limiter.take(source.id, source.rateLimit);
    if (permit.granted) return undefined;
    const retryAfterSeconds = Math.max(1, Math.ceil(permit.retryAfterMs / 1000));
    return { kind: 'refused', code: 'rate_limited', source, retryAfterSeconds, turnedAway: true };
  };
}
