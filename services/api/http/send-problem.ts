import type { FastifyReply } from 'fastify';
import { prefersHtml, type Problem, problem, type ProblemCode, problemContentType, problemPage } from '#lib/problem';
import { type LimitName, limitTable, tenantLimitRaisedBy, type TenantLimits } from '#lib/tenancy';
import { type ApiLimitName, apiLimits, plainText } from './api-limits.ts';
import { maxFieldErrors } from './field-errors.ts';

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
  return bodyOf(reply, body);
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
  const detail = `The tenant has reached its limit of ${limits.of(tenant, limit)} ${counts} (${limit}), raised by ${plainText(tenantLimitRaisedBy)}`;
  return sendBody(reply, { ...problem('limit_reached', detail), limit });
}

/** 429 for a request above a rate or number that is not its tenant's, which `reached` says in a sentence. Give it a Retry-After. */
export function sendRateLimited(reply: FastifyReply, limit: ApiLimitName, reached: string): FastifyReply {
  const detail = `${reached} (${limit}), raised by ${plainText(apiLimits[limit].raisedBy)}`;
  return sendBody(reply, { ...problem('rate_limited', detail), limit });
}

/** 413 for a body above the limit of its route, with the number. */
export function sendTooLarge(
  reply: FastifyReply,
  what = `The body of this request may have ${reply.request.routeOptions.bodyLimit.toLocaleString('en')} bytes`,
): FastifyReply {
  const detail = `${what} (request_body), raised by ${apiLimits.request_body.raisedBy}`;
  return sendBody(reply, { ...problem('payload_too_large', detail), limit: 'request_body' });
}

export type FieldErrors = NonNullable<Problem['errors']>;

/** The parsed part of a request, or its errors. */
export type Read<T> = { read: T } | { errors: FieldErrors };

/** A client may name a field by a text of any length, which the answer need not repeat. */
const maxFieldLength = 300;

/** Sends the first errors of a request, and how many more there are; `detail` names the fields too, because many clients show nothing else. */
export function sendInvalid(
  reply: FastifyReply,
  all: FieldErrors,
  code: ProblemCode = 'validation_failed',
): FastifyReply {
  const errors = all.slice(0, maxFieldErrors).map(({ field, message }) => ({ field: cut(field), message }));
  const more = all.length - errors.length;
  const said = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  if (more === 0) return sendProblem(reply, code, said, errors);
  const detail = `${said}; and ${more.toLocaleString('en')} more`;
  return sendBody(reply, { ...problem(code, detail, errors), more_errors: more });
}

const sendBody = (reply: FastifyReply, body: Problem): FastifyReply => reply.send(bodyOf(reply, body));

/** Sets status and type. @returns bytes: to a text the framework would add a charset, which this media type does not have */
function bodyOf(reply: FastifyReply, body: Problem): Buffer {
  void reply.code(body.status).header('content-type', problemContentType);
  return Buffer.from(JSON.stringify(body));
}

const cut = (field: string): string =>
  field.length > maxFieldLength ? `${field.slice(0, maxFieldLength).toWellFormed()}…` : field;

/**
 * Answers a request for a missing resource: 410 if it was deleted, 404 if it never existed. Another tenant's resource is 404 too, so
 * that its existence stays unknown.
 */
export function sendMissing(reply: FastifyReply, row: { deleted_at: string | null } | undefined): FastifyReply {
  return sendProblem(reply, row === undefined ? 'not_found' : 'gone');
}
