import type { FastifyReply } from 'fastify';
import { type Validated, usualCheckLimits } from '#lib/schema-checks';
import { sendProblem } from '../../http/send-problem.ts';

/**
 * Refuses an event whose type has `enforce: reject`, or may have it, and that could not be checked: it is never let through, since its publisher can do
 * something about it. A received webhook is tagged instead (services/dedup/schema-tags.ts).
 *
 * | why                                                               | answer                        |
 * |-------------------------------------------------------------------|-------------------------------|
 * | the schema is too slow for this payload, or is no schema          | 422 with the type and the limit |
 * | the thread is busy, starts again or is away; the types are not known | 503 with Retry-After        |
 *
 * @returns undefined if it is taken
 */
export function refuseUnvalidated(reply: FastifyReply, validated: Validated, type: string): FastifyReply | undefined {
  if (validated.kind !== 'unjudged' || validated.enforce === 'tag') return undefined;
  if (validated.reason === 'busy') return sendProblem(reply, 'unavailable', `${type} can't be checked now`);
  return sendProblem(reply, 'schema_unusable', validated.reason === 'invalid' ? invalid(type) : tooSlow(type));
}

const { checkMs, compileMs } = usualCheckLimits;

const invalid = (type: string): string => `The newest schema of ${type} is not a valid JSON Schema`;

const tooSlow = (type: string): string =>
  `The newest schema of ${type} takes more than ${checkMs} ms of a processor for a payload, or ${compileMs} ms to be compiled. It is tried again after a minute`;
