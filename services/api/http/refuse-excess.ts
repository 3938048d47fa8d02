import type { preValidationHookHandler } from 'fastify';
import { fieldName } from './field-errors.ts';
import { maxLevels } from './body-limits.ts';
import { schemaOf } from './route-schema.ts';
import { excessOf } from './schema-bounds.ts';
import { sendInvalid } from './send-problem.ts';

/** 400 to a request with more fields or items than its schema allows, before the validator looks at each of them. */
export const refuseExcess: preValidationHookHandler = (request, reply, done) => {
  const { body, querystring } = schemaOf(request.routeOptions);
  const errors = [...errorsOf(querystring, request.query, 'querystring'), ...errorsOf(body, request.body, 'body')];
  if (errors.length === 0) done();
  else sendInvalid(reply, errors);
};

const errorsOf = (schema: object | undefined, value: unknown, context: string) =>
  (schema === undefined ? [] : excessOf(schema, value)).map(({ field, message }) => ({
    field: fieldName(field, context),
    message,
  }));

export const refuseDeepBody: preValidationHookHandler = (request, reply, done) => {
  if (isDeeper(request.body, maxLevels))
    sendInvalid(reply, [{ field: '(body)', message: `must not be nested deeper than ${maxLevels}` }]);
  else done();
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
