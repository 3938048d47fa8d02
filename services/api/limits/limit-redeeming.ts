import type { onRequestAsyncHookHandler } from 'fastify';
import { sendProblem } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';

/** The rate of one address. Nobody guesses a code; the rate keeps those who try from the database. */
const rate = { perSecond: 20, burst: 100 };

/** 429 to an address that redeems codes faster, of sessions and of portal links together. */
export const limitRedeeming =
  ({ limiter }: Pick<RouteDeps, 'limiter'>): onRequestAsyncHookHandler =>
  async (request, reply) => {
    const permit = await limiter.take(`redeem:${request.ip}`, rate);
    if (permit.granted) return undefined;
    return sendProblem(reply.header('retry-after', Math.ceil(permit.retryAfterMs / 1_000)), 'rate_limited');
  };
