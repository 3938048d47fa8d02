import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { TenantDeleted } from '#lib/erasure';
import { clientLeft, hasClientLeft } from '#lib/net';
import type { ProblemCode } from '#lib/problem';
import { type AppError, isAppError, type Logger, toAppError } from '#lib/runtime';
import { traceIdOf } from '#lib/telemetry';
import { LimitReached, type TenantLimits } from '#lib/tenancy';
import { fieldErrors } from './field-errors.ts';
import { sendInvalid, sendLimitReached, sendProblem, sendTooLarge } from './send-problem.ts';

/** A body that would need decoding. A body that is plain JSON is accepted whatever its header says. */
export const contentEncoded = Object.assign(new Error('the body has a Content-Encoding'), { code: 'CONTENT_ENCODED' });

export const isEncoded = (contentEncoding = ''): boolean => !/^(?:identity)?$/i.test(contentEncoding);

/** A body that a parser beside the framework's own could not read, as the framework says it. */
export const notJson = Object.assign(new Error('the body is not JSON'), { code: 'FST_ERR_CTP_INVALID_JSON_BODY' });

/** Errors that occur before a handler runs. */
const byFrameworkCode: Readonly<Record<string, { code: ProblemCode; detail?: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'validation_failed', detail: 'The body is not valid JSON' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'validation_failed',
    detail: 'The length of the body differs from Content-Length',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type', detail: 'Send application/json' },
  [contentEncoded.code]: { code: 'unsupported_media_type', detail: 'Send the body without a Content-Encoding' },
  FST_ERR_CTP_EMPTY_TYPE: { code: 'unsupported_media_type', detail: 'Send application/json' },
};

const clientHasLeft = 499;

/** Limits that are met while a request runs are of moments. */
const retryAfterSeconds = 1;

/** Turns every thrown error into a problem. Only our own bugs are logged as errors. */
export function createErrorHandler({ log, limits }: { log: Logger; limits: TenantLimits }) {
  return (thrown: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if ('validation' in thrown && thrown.validation !== undefined)
      return sendInvalid(reply, fieldErrors(thrown.validation, thrown.validationContext));
    if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return sendTooLarge(reply);
    const refused = byFrameworkCode[thrown.code];
    if (refused !== undefined) return sendProblem(reply, refused.code, refused.detail);
    if (thrown instanceof LimitReached)
      return sendLimitReached(reply.header('retry-after', retryAfterSeconds), request.tenant, thrown.limit, limits);
    // Not 410: an answer that is kept for its idempotency key would be a row of the deleted tenant. The next try is 410 before it comes here.
    if (thrown instanceof TenantDeleted) return sendProblem(reply, 'unavailable');
    const facts = { method: request.method, route: request.routeOptions.url };
    if (hasClientLeft(request.raw)) {
      log.info({ event: 'request.aborted', ...facts });
      return sendProblem(reply, 'validation_failed', 'The body ended early');
    }
    // Its statements have been given up. The status is nginx's for it, and nobody's answer.
    if (isAppError(thrown, 'stopped') && clientLeft(reply).aborted) {
      log.info({ event: 'request.aborted', ...facts });
      return reply.code(clientHasLeft).send();
    }
    const error = toAppError(thrown);
    const traced = { ...facts, traceId: traceIdOf(request.span.traceparent), err: error };
    if (error.retryable) {
      log.warn({ event: 'request.unavailable', ...traced });
      return sendProblem(reply, 'unavailable');
    }
    log.error({ event: 'request.failed', ...traced });
    return sendProblem(reply, 'internal_error');
  };
}
