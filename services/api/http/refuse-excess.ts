import type { preValidationHookHandler } from 'fastify';
import { maxLevels } from './request-bounds.ts';
import { schemaOf } from './route-schema.ts';
import { excessOf } from './schema-bounds.ts';
import { sendInvalid } from './send-problem.ts';

/** 400 to a request with more fields or items than its schema allows, before the validator looks at each of them. */
export const refuseExcess: preValidationHookHandler = (request, reply, done) => {
  const { body, querystring } = schemaOf(request.routeOptions);
  const errors = [
    // A parameter has a name, not a path.
    ...fieldsOf(querystring, request.query, (field) => field.slice(1)),
    ...fieldsOf(body, request.body, (field) => field || '(body)'),
  ];
  if (errors.length === 0) done();
  else sendInvalid(reply, errors);
};

const fieldsOf = (schema: object | undefined, value: unknown, nameOf: (field: string) => string) =>
  schema === undefined ? [] : excessOf(schema, value).map(({ field, message }) => ({ field: nameOf(field), message }));

export const refuseDeepBody: preValidationHookHandler = (request, reply, done) => {
  if (isDeeper(request.body, maxLevels))
    sendInvalid(reply, [{ field: '(body)', message: `must not be nested deeper than ${maxLevels}` }]);
  else done();
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
