import { isDeepStrictEqual } from 'node:util';
import type { SchemaDifference } from '#lib/api-contract';
import { maxParts, type SchemaField, schemaFields } from './schema-fields.ts';

/** More says no more to a reader. */
const maxDifferences = 200;
/** The last of the differences, where there may be more. */
const unlisted: SchemaDifference = { field: '', change: 'unlisted', breaking: false };

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
 * | beyond the 200 that are listed                         | `unlisted`, once                             |
 * | in parts beyond those that schema-fields.ts looks at   | the same                                     |
 */
export function compareSchemas(before: unknown, after: unknown): SchemaDifference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const { fields: old, truncated: wasTruncated } = schemaFields(before);
  const { fields: now, truncated: isTruncated } = schemaFields(after);
  const differences: SchemaDifference[] = [];
  const say = (field: string, change: SchemaDifference['change'], breaking: boolean): void => {
    differences.push({ field, change, breaking });
  };
  for (const [field, was] of old) {
    const is = now.get(field);
    if (is === undefined) {
      // Its contents went with it. What a truncated one lacks may be in the rest of it.
      if (now.has(parentOf(field)) && !isTruncated) say(field, 'removed', true);
      continue;
    }
    if (was.required !== is.required) say(field, is.required ? 'required' : 'optional', true);
    const change = compareValues(was, is);
    if (change !== undefined) say(field, ...change);
  }
  for (const [field, { required }] of now)
    if (!old.has(field) && old.has(parentOf(field)) && !wasTruncated)
      say(field, required ? 'required' : 'added', required);
  const isWhole = !wasTruncated && !isTruncated;
  if (differences.length <= maxDifferences) return isWhole ? differences : [...differences, unlisted];
  const breaks = differences.filter(({ breaking }) => breaking);
  const others = differences.filter(({ breaking }) => !breaking);
  return [...[...breaks, ...others].slice(0, maxDifferences), unlisted];
}

function compareValues(was: SchemaField, is: SchemaField): [SchemaDifference['change'], boolean] | undefined {
  if (allows(was.types, is.types) !== allows(is.types, was.types) || !sameSet(was.types, is.types))
    return allows(is.types, was.types) ? ['widened', true] : ['narrowed', true];
  const [before, after] = [was.values, is.values];
  if (!isDeepStrictEqual(sorted(before), sorted(after))) {
    const widens = after === undefined || (before !== undefined && includesAll(after, before));
    return widens ? ['widened', false] : ['narrowed', true];
  }
  return isDeepStrictEqual(was.rest, is.rest) ? undefined : ['narrowed', true];
}

/** Whether whatever the other has is allowed; an empty list allows all. */
const allows = (types: readonly string[], others: readonly string[]): boolean =>
  types.length === 0 || (others.length > 0 && others.every((other) => covers(types, other)));
/** The same of values, of which there may be thousands. */
const includesAll = (values: ReadonlyMap<string, unknown>, others: ReadonlyMap<string, unknown>): boolean =>
  texts(others).every((other) => values.has(other));

const covers = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (type === 'integer' && types.includes('number'));

const sameSet = (a: readonly string[], b: readonly string[]): boolean => isDeepStrictEqual(a, b);

const texts = (values: ReadonlyMap<string, unknown>): string[] => [...values.keys()];
const sorted = (values: ReadonlyMap<string, unknown> | undefined): string[] | undefined =>
  values === undefined ? undefined : texts(values).sort();

function parentOf(field: string): string {
  if (field.endsWith('[]')) return field.slice(0, -2);
  const end = field.lastIndexOf('.');
  return end < 0 ? '' : field.slice(0, end);
}

/** Fields that the one describes and the other does not; `*` stands for any name. Where not all can be compared, the last one says so. */
export function lackedFields(one: unknown, other: unknown): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  const { fields: there, truncated } = schemaFields(other);
  const { fields, truncated: isMore } = schemaFields(one);
  const lacked = [...fields.keys()].filter((field) => !there.has(field));
  const outermost = truncated ? [] : lacked.filter((field) => there.has(parentOf(field))).sort();
  const isUnknown = isMore || (truncated && lacked.length > 0);
  return isUnknown ? [...outermost, `fields beyond ${maxParts} parts, which are not compared`] : outermost;
}
