import type { FastifySchemaValidationError } from 'fastify';
import type { FieldErrors } from './send-problem.ts';

/** An answer lists so many errors, and counts the others: more say no more to a reader. */
export const maxFieldErrors = 20;

/** Errors of schemas, as clients read them: fields by their JSON pointer, parameters by their name. */
export const fieldErrors = (found: readonly FastifySchemaValidationError[], context: string | undefined): FieldErrors =>
  found
    // `if` only repeats the errors of its branch.
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ field: fieldName(pointerTo(error), context), message: messageOf(error) }));

/** A parameter has a name, not a path; and the path of the whole body is empty. */
export const fieldName = (pointer: string, context: string | undefined): string =>
  context === 'querystring' ? pointer.slice(1) : pointer || '(body)';

function pointerTo({ instancePath, params }: FastifySchemaValidationError): string {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return name === undefined ? instancePath : fieldUnder(instancePath, name);
}

/** A JSON pointer (RFC 6901). */
export const fieldUnder = (path: string, name: unknown): string =>
  `${path}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;

/** Uses the schema's description instead of a regular expression. */
function messageOf(error: FastifySchemaValidationError): string {
  if (error.keyword === 'required') return 'is missing';
  if (error.keyword === 'additionalProperties') return 'is an unknown field';
  if (error.keyword === 'enum') return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`;
  const { parentSchema } = error as { parentSchema?: { description?: string } };
  if (error.keyword === 'pattern' && parentSchema?.description !== undefined)
    return `must be ${parentSchema.description}`;
  return error.message ?? 'is invalid';
}
