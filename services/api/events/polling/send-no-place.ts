import type { FastifyReply } from 'fastify';
import { sendLimitReached, sendProblem, sendRateLimited } from '../../http/send-problem.ts';
import type { RouteDeps } from '../../route.ts';

/** Places become free as requests are answered: all within a minute. */
const retryAfterSeconds = 5;

/** The answer where no more requests can be held. */
export function sendNoPlace(
  { limits, usage }: Pick<RouteDeps, 'limits' | 'usage'>,
  reply: FastifyReply,
  full: 'credential' | 'tenant' | 'process',
): FastifyReply {
  if (full === 'process')
    return sendProblem(
      reply,
      'unavailable',
      'The server has reached its limit of long polls: retry later, or without wait',
    );
  void reply.header('retry-after', retryAfterSeconds);
  if (full === 'tenant') {
    usage.reached('long_polls');
    return sendLimitReached(reply, reply.request.tenant, 'long_polls', limits);
  }
  return sendRateLimited(
    reply,
    'key_long_polls',
    'The API key has reached its limit of long polls: retry later, or without wait',
  );
}
