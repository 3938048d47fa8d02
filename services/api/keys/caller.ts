import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, preValidationHookHandler } from 'fastify';
import type { FollowedErasures } from '#lib/erasure';
import type { Readings } from '#lib/postgres';
import { type Rate, rateLimitFields, type RateLimiter, waitSeconds } from '#lib/rate-limit';
import type { TenantLimits, TenantUsage } from '#lib/tenancy';
import { asksDryRun } from '../http/current-request.ts';
import { sendInvalid, sendLimitReached, sendProblem, sendRateLimited } from '../http/send-problem.ts';
import { credentialBucket, tenantRate } from '../limits/rates.ts';
import { allTenants, type Caller, identifyCaller, type IdentityDeps, isCustomer, keyIdOf } from './identify-caller.ts';
import type { KnownKey } from './key-directory.ts';
import type { Uses } from './key-uses.ts';
import { missingCapability, missingScope, scopeOf } from './scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of this request; set when the caller is known. */
    tenant: string;
    /**
     * The id of the key, or `admin` for the operator's. A session has that of its key, and so shares its rate, its long polls and its
     * idempotency keys; a portal session is a customer's, and has its own id.
     */
    credential: string;
    /** Set on every request with a key, before its handler. */
    caller: Caller;
  }
}

export interface CallerDeps extends IdentityDeps {
  keyUses: Pick<Uses, 'note'>;
  limiter: RateLimiter;
  /** The rate of keys without one of their own. */
  keyRate: Rate;
  limits: TenantLimits;
  recentLimits: Readings['recent'];
  usage: TenantUsage;
  erased: Pick<FollowedErasures, 'hasTenant' | 'refresh' | 'recent'>;
}

const tenantHeader = 'hookline-tenant';
const defaultTenant = 'default';
export const tenantPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const notTenant = 'must be 1 to 64 letters, digits, dots, dashes or underscores';

/**
 * Identifies the caller and the tenant before the rest of the request is read: 401 without a key, 429 above the rate of the key or of its
 * tenant, 403 for another tenant or a missing scope, 410 for a deleted tenant.
 */
export function createCallerCheck(deps: CallerDeps): onRequestAsyncHookHandler {
  const { keyUses, limiter, keyRate, limits, usage } = deps;

  /** Checks the key's own rate first, so that a key above it takes nothing from the tenant's other keys. */
  async function refuseBeyondRate(
    { tenant, id, rateLimit = keyRate }: Pick<KnownKey, 'tenant' | 'id' | 'rateLimit'>,
    reply: FastifyReply,
  ): Promise<boolean> {
    const rateOfTenant = tenantRate(limits, tenant);
    const ofKey = await limiter.take(credentialBucket(tenant, id), rateLimit);
    const ofTenant = ofKey.granted ? await limiter.take(tenant, rateOfTenant) : undefined;
    void reply.headers(
      rateLimitFields([
        { name: 'key_rate', rate: rateLimit, permit: ofKey },
        { name: 'requests_per_second', rate: rateOfTenant, permit: ofTenant },
      ]),
    );
    if (ofTenant?.granted === true) return false;
    void reply.header('retry-after', waitSeconds(ofTenant ?? ofKey));
    if (ofTenant === undefined) {
      const { perSecond, burst } = rateLimit;
      const whose = reply.request.caller.session === undefined ? 'The API key' : 'The session';
      sendRateLimited(
        reply,
        'key_rate',
        `${whose} has reached ${perSecond} requests per second, with bursts of ${burst}`,
      );
    } else {
      usage.reached('requests_per_second');
      sendLimitReached(reply, tenant, 'requests_per_second', limits);
    }
    return true;
  }

  return async (request, reply) => {
    const text = bearerOf(request.headers);
    if (text === undefined) return sendProblem(reply, 'unauthorized');
    const readings = [deps.recentLimits(), deps.erased.recent()];
    const caller = await identifyCaller(deps, text);
    if (caller === 'unknown') return sendProblem(reply, 'unauthorized');
    if (caller === 'unavailable') return sendProblem(reply, 'unavailable');
    for (const reading of readings) if (reading !== undefined) await reading;
    request.caller = caller;
    request.credential = isCustomer(caller) ? caller.id : keyIdOf(caller);
    request.tenant = caller.tenant ?? '';
    // The operator has no rate: an operator always gets in.
    if (caller.key !== undefined) keyUses.note(caller.key);
    const counted = isCustomer(caller) ? { tenant: request.tenant, id: caller.id, rateLimit: undefined } : caller.key;
    if (counted !== undefined && (await refuseBeyondRate(counted, reply))) return reply;

    const named = request.headers[tenantHeader];
    const { config } = request.routeOptions;
    if (caller.tenant === undefined) {
      const tenant = String(named ?? defaultTenant);
      if (!tenantPattern.test(tenant) && !(tenant === allTenants && config.ofAllTenants === true))
        return sendInvalid(reply, [{ field: 'Hookline-Tenant', message: notTenant }]);
      request.tenant = tenant;
    } else if (named !== undefined && named !== caller.tenant) {
      // Refused, not ignored: the client would read and change another tenant than it meant. Whether that tenant exists is not told.
      return sendProblem(reply, 'forbidden', `The ${caller.type} does not belong to the tenant in Hookline-Tenant`);
    }
    if (deps.erased.hasTenant(request.tenant)) return sendProblem(reply, 'gone', 'The tenant was deleted');
    const missing = whyForbidden(request, caller);
    if (missing !== undefined) return sendProblem(reply, 'forbidden', missing);
    if (caller.type === 'session' && config.notBySession !== undefined)
      return sendProblem(reply, 'forbidden', `A session can’t ${config.notBySession}: use the key itself`);
  };
}

/** Why the caller may not; undefined if it may. */
export function whyForbidden(
  { method, params, routeOptions }: Pick<FastifyRequest, 'method' | 'params' | 'routeOptions'>,
  caller: Caller,
): string | undefined {
  const { config } = routeOptions;
  if (config.orSessionItself === true && caller.session?.id === (params as { id?: string }).id) return undefined;
  if (caller.session?.portal !== undefined) return missingCapability(caller.session.portal, config.capability);
  const missing = missingScope(caller, scopeOf({ method, config }));
  const allowsDryRun = config.dryRunScope !== undefined && missingScope(caller, config.dryRunScope) === undefined;
  return allowsDryRun ? undefined : missing;
}

/** 403 for a caller whose scope allows the dry run alone, and who asks for more. Before the handler, when the body has been read. */
export const refuseBeyondDryRun: preValidationHookHandler = (request, reply, done) => {
  const { config, method } = request.routeOptions;
  if (config.dryRunScope === undefined || asksDryRun(request)) return done();
  // A portal session without the capability was refused, dry run or not.
  const missing = isCustomer(request.caller)
    ? undefined
    : missingScope(request.caller, scopeOf({ method: String(method), config }));
  if (missing === undefined) done();
  else sendProblem(reply, 'forbidden', missing);
};

const bearerOf = ({ authorization = '' }: FastifyRequest['headers']): string | undefined =>
  /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
