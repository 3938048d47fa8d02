import type { FastifyReply } from 'fastify';
import { prefersHtml, type Problem, type ProblemCode, problem, problemContentType, problemPage } from '#lib/problem';
import { type LimitName, limitTable, type TenantLimits } from '#lib/tenancy';

/** Stores recover within seconds; after that, the client's own backoff applies. */
const retryAfterSeconds = 2;

export const sendProblem = (
  reply: FastifyReply,
  code: ProblemCode,
  detail?: string,
  errors?: Problem['errors'],
): FastifyReply => reply.send(problemPayload(reply, code, detail, errors));

/** Sets status and headers of the problem. @returns its body */
export function problemPayload(
  reply: FastifyReply,
  code: ProblemCode,
  detail?: string,
  errors?: Problem['errors'],
): Buffer | string {
  const body = problem(code, detail, errors);
  if (code === 'unavailable') reply.header('retry-after', retryAfterSeconds);
  if (code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  const page = problemPage(code);
  if (page !== undefined) {
    reply.header('vary', 'accept');
    if (prefersHtml(reply.request.headers.accept)) {
      void reply.code(body.status).header('content-type', 'text/html; charset=utf-8');
      return page;
    }
  }
  void reply.code(body.status).header('content-type', problemContentType);
  // As bytes: to a text the framework would add a charset, which this media type does not have.
  return Buffer.from(JSON.stringify(body));
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The limit of its tenant at which it was refused. */
    limitReached: LimitName | undefined;
  }
}

/** 429 for a request that would exceed a limit of its tenant, with the limit's name. */
export function sendLimitReached(
  reply: FastifyReply,
  tenant: string,
  limit: LimitName,
  limits: TenantLimits,
): FastifyReply {
  const { counts } = limitTable[limit];
  reply.request.limitReached = limit;
  const detail = `The tenant has reached its limit of ${limits.of(tenant, limit)} ${counts}`;
  return reply
    .code(429)
    .header('content-type', problemContentType)
    .send(Buffer.from(JSON.stringify({ ...problem('limit_reached', detail), limit })));
}

export type FieldErrors = NonNullable<Problem['errors']>;

/** The parsed part of a request, or its errors. */
export type Read<T> = { read: T } | { errors: FieldErrors };

/** Sends the errors of a request; `detail` names the fields too, because many clients show nothing else. */
export function sendInvalid(
  reply: FastifyReply,
  errors: FieldErrors,
  code: ProblemCode = 'validation_failed',
): FastifyReply {
  const detail = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  return sendProblem(reply, code, detail, errors);
}

/**
 * Answers a request for a missing resource: 410 if it was deleted, 404 if it never existed. Another tenant's resource is 404 too, so
 * that its existence stays unknown.
 */
export function sendMissing(reply: FastifyReply, row: { deleted_at: string | null } | undefined): FastifyReply {
  return sendProblem(reply, row === undefined ? 'not_found' : 'gone');
}
