import type { FastifyRequest, FastifySchemaValidationError, preValidationHookHandler } from 'fastify';
import { rawNumber } from '#lib/exact-json';
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

/** For requests that say all by their path: no body is an empty one. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};

/** JSON merge patch (RFC 7396): named members get the patch's value, `null` removes them, objects are merged recursively. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && rawNumber(value) === undefined;
