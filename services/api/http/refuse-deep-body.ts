import type { preValidationHookHandler } from 'fastify';
import { sendInvalid } from './send-problem.ts';

/** No request needs as many levels; code that walks a body recursively would overflow on a megabyte of brackets. */
const maxLevels = 100;

export const refuseDeepBody: preValidationHookHandler = (request, reply, done) => {
  if (isDeeper(request.body, maxLevels))
    sendInvalid(reply, [{ field: '(body)', message: `must not be nested deeper than ${maxLevels}` }]);
  else done();
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
