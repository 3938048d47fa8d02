import type { FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { fieldErrors } from './field-errors.ts';
import { excessOf } from './schema-bounds.ts';
import type { Read } from './send-problem.ts';

/** The patched resource, as the body that would create it. */
export function readPatched<T>(request: FastifyRequest, schema: object, merged: unknown): Read<T> {
  const excess = excessOf(schema, merged);
  if (excess.length > 0) return { errors: excess };
  const validate = request.compileValidationSchema(schema, 'body');
  if (validate(merged) === true) return { read: merged as T };
  return { errors: fieldErrors((validate.errors ?? []) as FastifySchemaValidationError[], 'body') };
}
