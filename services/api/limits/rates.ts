import type { preValidationAsyncHookHandler } from 'fastify';
import { clientOf } from '#lib/net';
import { type Rate, rateLimitFields, waitSeconds } from '#lib/rate-limit';
import type { TenantLimits } from '#lib/tenancy';
import { redeemingRate } from '../http/api-limits.ts';
import { asksDryRun } from '../http/current-request.ts';
import { sendRateLimited } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';

/**
 * 429 to a client that redeems codes faster. Sessions, portal links and looks at these (`dry_run`) are counted apart, so that one who looks at
 * links takes nothing from people who sign in, although the console asks for all of them.
 */
export const limitRedeeming =
  ({ limiter }: Pick<RouteDeps, 'limiter'>, what: 'session' | 'link'): preValidationAsyncHookHandler =>
  async (request, reply) => {
    const counted = asksDryRun(request) ? 'look' : what;
    const permit = await limiter.take(`redeem:${counted}:${clientOf(request.ip)}`, redeemingRate);
    void reply.headers(rateLimitFields([{ name: 'redeeming', rate: redeemingRate, permit }]));
    if (permit.granted) return undefined;
    return sendRateLimited(
      reply.header('retry-after', waitSeconds(permit)),
      'redeeming',
      `The client's address has reached ${redeemingRate.perSecond} tries per second`,
    );
  };

const burstSeconds = 2;

/** The bucket of a key or a portal session; that of a tenant is its name. */
export const credentialBucket = (tenant: string, id: string): string => `${tenant}:${id}`;

/** The rate of all keys of a tenant together, and so the highest of a single key. */
export function tenantRate(limits: TenantLimits, tenant: string): Rate {
  const perSecond = limits.of(tenant, 'requests_per_second');
  return { perSecond, burst: burstSeconds * perSecond };
}
