import type { preValidationAsyncHookHandler } from 'fastify';
import { clientOf } from '#lib/networks';
import { sendProblem } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';

/** The rate of one client. Nobody guesses a code; the rate keeps those who try from the database. */
const rate = { perSecond: 20, burst: 100 };

/**
 * 429 to a client that redeems codes faster. Sessions, portal links and looks at these (`dry_run`) are counted apart, so that one who looks at
 * links takes nothing from people who sign in, although the console asks for all of them.
 */
export const limitRedeeming =
  ({ limiter }: Pick<RouteDeps, 'limiter'>, what: 'session' | 'link'): preValidationAsyncHookHandler =>
  async (request, reply) => {
    const isLook = (request.body as { dry_run?: unknown } | null | undefined)?.dry_run === true;
    const permit = await limiter.take(`redeem:${isLook ? 'look' : what}:${clientOf(request.ip)}`, rate);
    if (permit.granted) return undefined;
    return sendProblem(reply.header('retry-after', Math.ceil(permit.retryAfterMs / 1_000)), 'rate_limited');
  };
