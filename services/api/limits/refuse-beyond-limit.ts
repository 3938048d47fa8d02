import type { FastifyReply } from 'fastify';
import type { LimitName } from '#lib/tenancy';
import { sendLimitReached } from '../http/send-problem.ts';
import type { RouteDeps } from '../route.ts';

/** 429 to a tenant that would go beyond a limit, which is counted for the operator. */
export function refuseBeyondLimit(
  reply: FastifyReply,
  limit: LimitName,
  { limits, usage }: Pick<RouteDeps, 'limits' | 'usage'>,
): FastifyReply {
  usage.reached(limit);
  return sendLimitReached(reply, reply.request.tenant, limit, limits);
}
