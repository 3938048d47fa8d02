import type { Rate } from './ports.ts';
import type { Permit } from './rate-limiter.ts';

/** A rate that a request was counted under. */
interface CountedRate {
  /** ASCII without quotes. */
  name: string;
  rate: Rate;
  /** Undefined: the request was refused before it came to this one. */
  permit?: Permit | undefined;
}

/** Whole seconds until the next permit; 0 if one was granted. */
export const waitSeconds = (permit: Permit): number =>
  permit.granted ? 0 : Math.max(1, Math.ceil(permit.retryAfterMs / 1_000));

/**
 * The header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers, from its version 08 on; lists of structured
 * fields, RFC 9651). A token bucket is the policy of one burst (`q`) in the time in which the rate yields it (`w`, in seconds). `r` is what is
 * left, as far as this process knows; `t` the seconds until all of it is back or, for a refused request, until the next permit, as
 * `Retry-After`.
 */
export function rateLimitFields(counted: readonly CountedRate[]): Record<string, string> {
  const policies = counted.map(({ name, rate }) => `"${name}";q=${quotaOf(rate)};w=${secondsFor(quotaOf(rate), rate)}`);
  const states = counted.flatMap(({ name, rate, permit }) => {
    if (permit === undefined) return [];
    if (!permit.granted) return [`"${name}";r=0;t=${waitSeconds(permit)}`];
    if (permit.left === undefined) return [];
    const left = Math.min(quotaOf(rate), Math.floor(permit.left));
    return [`"${name}";r=${left};t=${secondsFor(quotaOf(rate) - left, rate)}`];
  });
  return {
    'ratelimit-policy': policies.join(', '),
    ...(states.length > 0 && { ratelimit: states.join(', ') }),
  };
}

const quotaOf = ({ burst }: Rate): number => Math.max(1, Math.floor(burst));

const secondsFor = (permits: number, { perSecond }: Rate): number => Math.ceil(permits / perSecond);
