import { isDeepStrictEqual } from 'node:util';
import type { SchemaDifference } from '#lib/contract';
import { type SchemaField, type SchemaFields, schemaFields } from './schema-fields.ts';

/** More says no more to a reader. */
const maxDifferences = 200;

/**
 * How a schema differs from the one before, and what of it breaks receivers or validators of the former:
 *
 * | difference                                             | breaking                                     |
 * |--------------------------------------------------------|----------------------------------------------|
 * | a field is new and optional                            | no                                           |
 * | a field is new and required, removed, or required now  | yes                                          |
 * | a field that was always there may be missing           | yes: receivers read it                       |
 * | a type or a value less, another limit                  | yes                                          |
 * | a type more                                            | yes: receivers parse it                      |
 * | a value more in an enumeration                         | no: receivers must expect unknown values     |
 * | texts, examples                                        | no difference                                |
 */
export function compareSchemas(before: unknown, after: unknown): SchemaDifference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, now] = [schemaFields(before), schemaFields(after)];
  const differences: SchemaDifference[] = [];
  const say = (field: string, change: SchemaDifference['change'], breaking: boolean): void => {
    differences.push({ field, change, breaking });
  };
  for (const [field, was] of old) {
    const is = now.get(field);
    if (is === undefined) {
      // Its contents went with it.
      if (now.has(parentOf(field))) say(field, 'removed', true);
      continue;
    }
    if (was.required !== is.required) say(field, is.required ? 'required' : 'optional', true);
    const change = compareValues(was, is);
    if (change !== undefined) say(field, ...change);
  }
  for (const [field, { required }] of now)
    if (!old.has(field) && old.has(parentOf(field))) say(field, required ? 'required' : 'added', required);
  return differences.slice(0, maxDifferences);
}

function compareValues(was: SchemaField, is: SchemaField): [SchemaDifference['change'], boolean] | undefined {
  if (allows(was.types, is.types) !== allows(is.types, was.types) || !sameSet(was.types, is.types))
    return allows(is.types, was.types) ? ['widened', true] : ['narrowed', true];
  const [before, after] = [was.values, is.values];
  if (!isDeepStrictEqual(sorted(before), sorted(after))) {
    const widens = after === undefined || (before !== undefined && allows(texts(after), texts(before)));
    return widens ? ['widened', false] : ['narrowed', true];
  }
  return isDeepStrictEqual(was.rest, is.rest) ? undefined : ['narrowed', true];
}

/** Whether whatever the other has is allowed; an empty list allows all. */
const allows = (types: readonly string[], others: readonly string[]): boolean =>
  types.length === 0 || (others.length > 0 && others.every((other) => covers(types, other)));

const covers = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

const sameSet = (a: readonly string[], b: readonly string[]): boolean => isDeepStrictEqual(a, b);

const texts = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value));
const sorted = (values: readonly unknown[] | undefined): string[] | undefined =>
  values === undefined ? undefined : texts(values).sort();

function parentOf(field: string): string {
  if (field.endsWith('[]')) return field.slice(0, -2);
  const end = field.lastIndexOf('.');
  return end < 0 ? '' : field.slice(0, end);
}

/** Fields that the one describes and the other does not; `*` stands for any name. */
export function lackedFields(one: unknown, other: unknown): string[] {
  const there = schemaFields(other);
  const lacked = [...schemaFields(one).keys()].filter((field) => !there.has(field));
  return lacked.filter((field) => isOutermost(field, there)).sort();
}

const isOutermost = (field: string, there: SchemaFields): boolean => there.has(parentOf(field));
