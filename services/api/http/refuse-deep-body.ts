import type { preValidationHookHandler } from 'fastify';
import { maxLevels } from './request-bounds.ts';
import { sendInvalid } from './send-problem.ts';

export const refuseDeepBody: preValidationHookHandler = (request, reply, done) => {
  if (isDeeper(request.body, maxLevels))
    sendInvalid(reply, [{ field: '(body)', message: `must not be nested deeper than ${maxLevels}` }]);
  else done();
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
