import type { FastifySchemaValidationError } from 'fastify';
import type { FieldErrors } from './send-problem.ts';

/** An answer lists so many errors, and counts the others: more say no more to a reader. */
export const maxFieldErrors = 20;

/** Errors of schemas, as clients read them: fields by their JSON pointer, parameters by their name. */
export function fieldErrors(found: readonly FastifySchemaValidationError[], context: string | undefined): FieldErrors {
  // `if` only repeats the errors of its branch.
  const said = found.filter(({ keyword }) => keyword !== 'if');
  const errors = said.map((error) => {
    const { keyword, params, instancePath } = error;
    if (keyword === 'required')
      return { field: fieldUnder(instancePath, params['missingProperty']), message: 'is missing' };
    if (keyword === 'additionalProperties')
      return {
        field: fieldUnder(instancePath, params['additionalProperty']),
        message: 'is an unknown field',
      };
    return { field: instancePath, message: messageOf(error) };
  });
  // A parameter has a name, not a path; and the whole body's is empty.
  return errors.map(({ field, message }) => ({
    field: context === 'querystring' ? field.slice(1) : field || '(body)',
    message,
  }));
}

/** A JSON pointer (RFC 6901). */
export const fieldUnder = (path: string, name: unknown): string =>
  `${path}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;

/** Uses the schema's description instead of a regular expression. */
function messageOf(error: FastifySchemaValidationError): string {
  if (error.keyword === 'enum') return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
  const { parentSchema } = error as { parentSchema?: { description?: string } };
  if (error.keyword === 'pattern' && parentSchema?.description !== undefined)
    return `must be ${parentSchema.description}`;
  return error.message ?? 'is invalid';
}
