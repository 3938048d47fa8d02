import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ProblemCode, problem, problemCodes, problemContentType } from '#lib/problem';
import { discardRest, type DiscardLimits } from './body-reader.ts';

/** Long enough for a leader to move; a sender with a backoff of its own waits longer anyway. */
const retryAfterSeconds = 2;

/** As bytes: to a text, Fastify would add a charset, which this media type does not have. */
const bodies = new Map(
  (Object.keys(problemCodes) as ProblemCode[]).map((code) => [code, Buffer.from(JSON.stringify(problem(code)))]),
);

/** Answers with the problem, and sees to it that the sender can read the answer while it is still sending its body. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  code: ProblemCode,
  limits: DiscardLimits,
): FastifyReply {
  reply.code(problemCodes[code].status).header('content-type', problemContentType);
  if (code === 'unavailable') reply.header('retry-after', retryAfterSeconds);
  // A body that did not come in its time is not waited for again.
  if (code === 'request_timeout') reply.header('connection', 'close');
  else discardRest(request.raw, limits);
  return reply.send(bodies.get(code));
}
