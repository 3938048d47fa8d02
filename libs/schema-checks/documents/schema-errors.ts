import { maxSchemaBytes } from '#lib/contract';
import { rawNumber } from '#lib/exact-json';
import { mapSchemas } from './map-schemas.ts';

export interface FieldError {
  field: string;
  message: string;
}

const dialect = 'https://json-schema.org/draft/2020-12/schema';
const maxErrors = 20;

/** Keywords by which ajv does something else than validate: with `$async` its function gives a promise, which is no verdict. */
export const hindering: ReadonlySet<string> = new Set(['$async']);

/** The errors of a schema that are found before it is compiled. @param text its JSON */
export function schemaErrors(schema: unknown, text: string): FieldError[] {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema)))
    return [{ field: '/schema', message: 'must be object or boolean' }];
  if (Buffer.byteLength(text) > maxSchemaBytes) return [{ field: '/schema', message: tooManyBytes }];
  const errors: FieldError[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null || errors.length >= maxErrors) return;
    for (const [name, inner] of Object.entries(value)) {
      const at = `${path}/${escaped(name)}`;
      if (isReference(name) && typeof inner === 'string' && !inner.startsWith('#'))
        errors.push({ field: at, message: 'must refer to the same schema, such as #/$defs/name' });
      else if (rawNumber(inner) !== undefined && !isShown(at)) errors.push({ field: at, message: tooLarge(inner) });
      else visit(inner, at);
    }
  };
  visit(schema, '/schema');
  for (const keyword of hinderingIn(schema))
    errors.push({ field: '/schema', message: `must not have the keyword ${keyword}, which JSON Schema does not have` });
  const said = (schema as Record<string, unknown>)['$schema'];
  if (said !== undefined && (typeof said !== 'string' || said.replace(/#$/, '') !== dialect))
    errors.push({ field: '/schema/$schema', message: `must be ${dialect}` });
  return errors.slice(0, maxErrors);
}

/** @param text JSON */
export const exampleErrors = (text: string): FieldError[] =>
  Buffer.byteLength(text) > maxSchemaBytes ? [{ field: '/example', message: tooManyBytes }] : [];

function hinderingIn(schema: unknown): Set<string> {
  const found = new Set<string>();
  mapSchemas(schema, (node) => {
    for (const keyword of Object.keys(node)) if (hindering.has(keyword)) found.add(keyword);
    return node;
  });
  return found;
}

const tooManyBytes = `must be at most ${maxSchemaBytes} bytes of JSON`;
const escaped = (name: string): string => name.replace(/~/g, '~0').replace(/\//g, '~1');

/** Keywords whose values are shown, and validate nothing. */
const isShown = (path: string): boolean => /(?<!\/properties)\/(?:default|example|examples)(?:\/|$)/.test(path);

const tooLarge = (value: unknown): string =>
  `is ${String(rawNumber(value))}, which no payload can be compared with: numbers of a schema are exact up to 2^53 (9007199254740992), and to 15 digits`;

const isReference = (name: string): boolean => name === '$ref' || name === '$dynamicRef';
