import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Rate, RateLimiter } from '#lib/rate-limit';
import type { TenantLimits, TenantUsage } from '#lib/tenancy';
import { sendInvalid, sendLimitReached, sendProblem } from '../http/send-problem.ts';
import { tenantRate } from '../limits/tenant-rate.ts';
import type { FindKey, KnownKey } from './key-directory.ts';
import { keyHash } from './key-text.ts';
import type { KeyUses } from './key-uses.ts';
import { hasScope, usualScope } from './scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of this request; set when the caller is known. */
    tenant: string;
    /** The caller: the id of a key, or `admin` for the one of the environment. */
    credential: string;
  }
}

export interface CallerDeps {
  adminKey: string;
  findKey: FindKey;
  keyUses: Pick<KeyUses, 'note'>;
  limiter: RateLimiter;
  /** The rate of keys without one of their own. */
  keyRate: Rate;
  limits: TenantLimits;
  usage: TenantUsage;
}

const tenantHeader = 'hookline-tenant';
const defaultTenant = 'default';
const tenantPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Identifies the caller and the tenant before the rest of the request is read: 401 without a key, 429 above the rate of the key or of its
 * tenant, 403 for another tenant or a missing scope.
 */
export function createCallerCheck(deps: CallerDeps): onRequestAsyncHookHandler {
  const { findKey, keyUses, limiter, keyRate, limits, usage } = deps;
  const isAdminKey = createKeyComparison(deps.adminKey);

  /** Seconds until the bucket has a permit for one more request; 0 if it has one. */
  async function waitSeconds(bucket: string, rate: Rate): Promise<number> {
    const permit = await limiter.take(bucket, rate);
    return permit.granted ? 0 : Math.max(1, Math.ceil(permit.retryAfterMs / 1000));
  }

  /** Checks the key's own rate first, so that a key above it takes nothing from the tenant's other keys. */
  async function refuseBeyondRate(
    { tenant, id, rateLimit = keyRate }: KnownKey,
    reply: FastifyReply,
  ): Promise<boolean> {
    const ofKey = await waitSeconds(`${tenant}:${id}`, rateLimit);
    if (ofKey > 0) {
      sendProblem(reply.header('retry-after', ofKey), 'rate_limited');
      return true;
    }
    const ofTenant = await waitSeconds(tenant, tenantRate(limits, tenant));
    if (ofTenant === 0) return false;
    usage.reached('requests_per_second');
    sendLimitReached(reply.header('retry-after', ofTenant), tenant, 'requests_per_second', limits);
    return true;
  }

  return async (request, reply) => {
    const text = bearerOf(request.headers);
    if (text === undefined) return sendProblem(reply, 'unauthorized');
    const tenant = request.headers[tenantHeader];
    if (isAdminKey(text)) {
      // All tenants, all scopes, and no limit: an operator always gets in.
      request.credential = 'admin';
      const named = tenant ?? defaultTenant;
      if (!isTenant(named)) return sendInvalid(reply, [noTenant]);
      request.tenant = named;
      return;
    }

    const key = await findKey(text);
    if (key === 'unknown') return sendProblem(reply, 'unauthorized');
    if (key === 'unavailable') return sendProblem(reply, 'unavailable');
    request.credential = key.id;
    request.tenant = key.tenant;
    keyUses.note(key);
    if (await refuseBeyondRate(key, reply)) return reply;
    // Refused, not ignored: the client would read and change another tenant than it meant. Whether that tenant exists is not told.
    if (tenant !== undefined && tenant !== key.tenant)
      return sendProblem(reply, 'forbidden', 'The key belongs to another tenant than Hookline-Tenant names');
    const needed = request.routeOptions.config.scope ?? usualScope(request.method);
    if (!hasScope(key.scopes, needed))
      return sendProblem(reply, 'forbidden', `The key does not have the scope ${needed}`);
  };
}

const noTenant = {
  field: 'Hookline-Tenant',
  message: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
};

const isTenant = (tenant: unknown): tenant is string => typeof tenant === 'string' && tenantPattern.test(tenant);

const bearerOf = ({ authorization = '' }: FastifyRequest['headers']): string | undefined =>
  /^bearer +([^ ]+)$/i.exec(authorization)?.[1];

/** Takes the same time for any input: the digests have one length, and are useless for guessing. */
function createKeyComparison(key: string): (given: string) => boolean {
  const expected = keyHash(key);
  return (given) => timingSafeEqual(keyHash(given), expected);
}
