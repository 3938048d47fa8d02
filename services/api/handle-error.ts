import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { type AppError, toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { ProblemCode } from '#lib/problem';
import { type FieldErrors, sendInvalid, sendProblem } from './send-problem.ts';

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

/** More says no more to a reader, and a body of thousands of unknown fields would be answered with a longer one. */
const maxFieldErrors = 20;

/** Everything that is thrown, as a problem. Only what is our fault is logged as an error. */
export function createErrorHandler(log: Logger) {
  return (thrown: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if ('validation' in thrown && thrown.validation !== undefined)
      return sendInvalid(reply, fieldErrors(thrown.validation, thrown.validationContext));
    const refused = byFrameworkCode[thrown.code];
    if (refused !== undefined) return sendProblem(reply, refused.code, refused.detail);
    const error = toAppError(thrown);
    const facts = { method: request.method, route: request.routeOptions.url, err: error };
    if (error.retryable) {
      log.warn({ event: 'request.unavailable', ...facts });
      return sendProblem(reply, 'unavailable');
    }
    log.error({ event: 'request.failed', ...facts });
    return sendProblem(reply, 'internal_error');
  };
}

function fieldErrors(found: readonly FastifySchemaValidationError[], context: string | undefined): FieldErrors {
  const errors = found.slice(0, maxFieldErrors).map((error) => {
    const { keyword, params, instancePath } = error;
    const under = (name: unknown): string => `${instancePath}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;
    if (keyword === 'required') return { field: under(params['missingProperty']), message: 'is missing' };
    if (keyword === 'additionalProperties')
      return { field: under(params['additionalProperty']), message: 'is not a field that is known here' };
    return { field: instancePath, message: messageOf(error) };
  });
  // A parameter has a name, not a path; and the whole body's is empty.
  return errors.map(({ field, message }) => ({
    field: context === 'querystring' ? field.slice(1) : field || '(body)',
    message,
  }));
}

/** A schema's description says what is wanted, where the keyword would say it by a regular expression. */
function messageOf(error: FastifySchemaValidationError): string {
  if (error.keyword === 'enum') return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
  const { parentSchema } = error as { parentSchema?: { description?: string } };
  if (error.keyword === 'pattern' && parentSchema?.description !== undefined)
    return `must be ${parentSchema.description}`;
  return error.message ?? 'is not valid';
}
