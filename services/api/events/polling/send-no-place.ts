import type { FastifyReply } from 'fastify';
import { sendProblem, sendRateLimited } from '../../http/send-problem.ts';
import { refuseBeyondLimit } from '../../limits/refuse-beyond-limit.ts';
import type { RouteDeps } from '../../route.ts';

/** Places become free as requests are answered: all within a minute. */
const retryAfterSeconds = 5;

/** The answer where no more requests can be held. */
export function sendNoPlace(
  deps: Pick<RouteDeps, 'limits' | 'usage'>,
  reply: FastifyReply,
  full: 'credential' | 'tenant' | 'process',
): FastifyReply {
  const reached = (who: string): string => `${who} has reached its limit of long polls: retry later, or without wait`;
  if (full === 'process') return sendProblem(reply, 'unavailable', reached('The server'));
  void reply.header('retry-after', retryAfterSeconds);
  if (full === 'tenant') return refuseBeyondLimit(reply, 'long_polls', deps);
  return sendRateLimited(reply, 'key_long_polls', reached('The API key'));
}
