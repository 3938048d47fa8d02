import { isDeepStrictEqual } from 'node:util';
import type { EventTypeField, SchemaDifference } from '#lib/api-contract';
import { parseExact } from '#lib/exact-json';
import { compileSchema } from '../compile-schema.ts';
import { compareSchemas } from './compare-schemas.ts';
import { pageFields } from './page-fields.ts';
import { exampleErrors, type FieldError, schemaErrors } from './schema-errors.ts';
import { schemaFields } from './schema-fields.ts';

/** A version that is to be published, and the newest one. Texts are JSON. */
export interface Draft {
  schema: string;
  /** Undefined: none is given. */
  example: string | undefined;
  /** Undefined: it is the first. */
  before: { schema: string; example: string } | undefined;
}

export interface SchemaFacts {
  fields: EventTypeField[];
  fieldsTruncated: boolean;
  /** Words of the descriptions of its fields. */
  fieldWords: number;
}

export interface Prepared extends SchemaFacts {
  isSameSchema: boolean;
  /** The example given is that of the version before. */
  isSameExample: boolean;
  differences: SchemaDifference[];
}

/** Everything that is to be known of a version before it is written. */
export function prepareSchema({
  schema: text,
  example: exampleText,
  before,
}: Draft): Prepared | { errors: FieldError[] } {
  const schema = parse(text);
  const example = exampleText === undefined ? undefined : parse(exampleText);
  const errors = [...schemaErrors(schema, text), ...(exampleText === undefined ? [] : exampleErrors(exampleText))];
  if (errors.length > 0) return { errors };
  const old = before && parse(before.schema);
  const isSameSchema = before !== undefined && isDeepStrictEqual(old, schema);
  const isSameExample =
    before !== undefined && exampleText !== undefined && isDeepStrictEqual(parse(before.example), example);
  // Checked when it was published.
  const isKnown = isSameSchema && (exampleText === undefined || isSameExample);
  const wrong = isKnown ? undefined : compileError(text, exampleText);
  if (wrong !== undefined) return { errors: [wrong] };
  const differences = before === undefined || isSameSchema ? [] : compareSchemas(old, schema);
  return { ...factsOf(schema), isSameSchema, isSameExample, differences };
}

/** @param text JSON of a schema that is published */
export const describeSchema = (text: string): SchemaFacts => factsOf(parse(text));

function factsOf(schema: unknown): SchemaFacts {
  const described = schemaFields(schema);
  const { fields, truncated } = pageFields(described);
  let fieldWords = 0;
  for (const { description } of described.fields.values()) fieldWords += wordsIn(description);
  return { fields, fieldsTruncated: truncated, fieldWords };
}

function compileError(text: string, exampleText: string | undefined): FieldError | undefined {
  const built = compileSchema(text);
  if ('message' in built) return { field: '/schema', message: `is not a valid JSON Schema: ${built.message}` };
  // Without an example, a value that is the same for all shows whether it ends at all.
  const verdict = built.validate(JSON.parse(exampleText ?? '{}'));
  if (verdict.kind === 'endless') return { field: '/schema', message: 'refers to itself without end' };
  if (verdict.kind === 'match' || exampleText === undefined) return undefined;
  return { field: `/example${verdict.field}`, message: verdict.message };
}

const parse = (text: string): unknown => parseExact(text, 'all');

/** Runs of characters with a letter or a digit. */
export const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
