import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { ProblemCode } from '#lib/problem';
import { traceIdOf } from '#lib/telemetry';
import { fieldErrors } from './field-errors.ts';
import { sendInvalid, sendProblem } from './send-problem.ts';

/** What the framework refuses before a handler runs. */
const byFrameworkCode: Readonly<Record<string, { code: ProblemCode; detail?: string }>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'validation_failed', detail: 'The body is not valid JSON' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'validation_failed',
    detail: 'The body is not as long as Content-Length says',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'payload_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type', detail: 'Send application/json' },
  FST_ERR_CTP_EMPTY_TYPE: { code: 'unsupported_media_type', detail: 'Send application/json' },
};

/** Everything that is thrown, as a problem. Only what is our fault is logged as an error. */
export function createErrorHandler(log: Logger) {
  return (thrown: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if ('validation' in thrown && thrown.validation !== undefined)
      return sendInvalid(reply, fieldErrors(thrown.validation, thrown.validationContext));
    const refused = byFrameworkCode[thrown.code];
    if (refused !== undefined) return sendProblem(reply, refused.code, refused.detail);
    const error = toAppError(thrown);
    const traceId = traceIdOf(request.span.traceparent);
    const facts = { method: request.method, route: request.routeOptions.url, traceId, err: error };
    if (error.retryable) {
      log.warn({ event: 'request.unavailable', ...facts });
      return sendProblem(reply, 'unavailable');
    }
    log.error({ event: 'request.failed', ...facts });
    return sendProblem(reply, 'internal_error');
  };
}
