import { hash } from 'node:crypto';
import { maxSchemaBytes } from '#lib/contract';
import { rawNumber } from '#lib/exact-json';
import type { FieldErrors } from '../http/send-problem.ts';
import type { SchemaChecks, Verdict } from '#lib/schema-checks';
import { exampleOfSchema } from './example-of-schema.ts';
import { type GivenVersion, isTooLarge } from './given-type.ts';

export interface PreparedVersion {
  schema: unknown;
  example: unknown;
  exampleGenerated: boolean;
  exampleGiven: boolean;
  notes: string;
  /** It may break receivers. */
  breaking: boolean;
}

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Checks a version by itself, before anything is locked. @returns without a version if none is given */
export async function prepareVersion(
  given: GivenVersion,
  checks: SchemaChecks,
): Promise<{ version: PreparedVersion | undefined; errors: FieldErrors }> {
  const { schema, version_notes: notes = '', breaking = false } = given;
  const hasExample = Object.hasOwn(given, 'example');
  if (schema === undefined)
    return {
      version: undefined,
      errors: hasExample ? [{ field: '/schema', message: 'is required: the example must match it' }] : [],
    };
  const errors = schemaErrors(schema);
  if (hasExample && isTooLarge(given.example))
    errors.push({ field: '/example', message: `must be at most ${maxSchemaBytes} bytes of JSON` });
  if (errors.length > 0) return { version: undefined, errors };
  const example = hasExample ? given.example : exampleOfSchema(schema);
  const verdict = await checkExample(checks, schema, example);
  const wrong = errorOf(verdict, hasExample);
  if (wrong !== undefined) return { version: undefined, errors: [wrong] };
  // Better no example than one that is none.
  const shown = verdict.kind === 'match' ? example : null;
  const exampleGenerated = !hasExample && verdict.kind === 'match';
  return {
    version: { schema, example: shown ?? null, exampleGenerated, exampleGiven: hasExample, notes, breaking },
    errors,
  };
}

/** Schemas that are checked here have no version yet: they are named by their text. */
function checkExample(checks: SchemaChecks, schema: unknown, example: unknown): Promise<Verdict> {
  const text = JSON.stringify(schema);
  return checks.check({
    key: `draft/${hash('sha256', text, 'base64url')}`,
    schema: () => text,
    payload: JSON.stringify(example ?? null),
  });
}

function errorOf(verdict: Verdict, hasExample: boolean): { field: string; message: string } | undefined {
  if (verdict.kind === 'invalid_schema')
    return { field: '/schema', message: `is not a valid JSON Schema: ${verdict.message}` };
  if (verdict.kind === 'unjudged')
    return verdict.reason === 'too_slow'
      ? { field: '/schema', message: 'takes too long to compile, or to check against the example' }
      : undefined;
  return verdict.kind === 'mismatch' && hasExample
    ? { field: `/example${verdict.field}`, message: verdict.message }
    : undefined;
}

function schemaErrors(schema: unknown): { field: string; message: string }[] {
  if (isTooLarge(schema)) return [{ field: '/schema', message: `must be at most ${maxSchemaBytes} bytes of JSON` }];
  const errors: { field: string; message: string }[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null || errors.length >= 20) return;
    for (const [name, inner] of Object.entries(value)) {
      const at = `${path}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
      if (isReference(name) && typeof inner === 'string' && !inner.startsWith('#'))
        errors.push({ field: at, message: 'must refer to the same schema, such as #/$defs/name' });
      else if (rawNumber(inner) !== undefined && !isShown(at)) errors.push({ field: at, message: tooLarge(inner) });
      else visit(inner, at);
    }
  };
  visit(schema, '/schema');
  const said = (schema as Record<string, unknown>)['$schema'];
  if (said !== undefined && (typeof said !== 'string' || said.replace(/#$/, '') !== dialect))
    errors.push({ field: '/schema/$schema', message: `must be ${dialect}` });
  return errors;
}

/** Keywords whose values are shown, and judge nothing. */
const isShown = (path: string): boolean => /(?<!\/properties)\/(?:default|example|examples)(?:\/|$)/.test(path);

const tooLarge = (value: unknown): string =>
  `is ${String(rawNumber(value))}, which no payload can be compared with: numbers of a schema are exact up to 2^53 (9007199254740992), and to 15 digits`;

const isReference = (name: string): boolean => name === '$ref' || name === '$dynamicRef';
