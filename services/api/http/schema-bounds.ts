/**
 * Looks for what a request has too much of, before its schema is checked: the validator notes an error for each unknown field and each item,
 * so that a megabyte of them would take it half a second. This walk follows the schema, not the request: it goes no deeper than the schema
 * does, and never into members that may hold any JSON.
 */
import { fieldUnder, maxFieldErrors } from './field-errors.ts';
import type { FieldErrors } from './send-problem.ts';

/** The part of a JSON Schema that is read here. */
interface Bounded {
  additionalProperties?: boolean | Bounded;
  properties?: Readonly<Record<string, Bounded>>;
  maxProperties?: number;
  items?: Bounded;
  maxItems?: number;
  then?: Bounded;
  else?: Bounded;
}

/** Stands for each error that is counted, but not listed. */
const counted = { field: '', message: '' };

/** @returns none where the validator can look at it: it has no list or map above its limit, and few unknown fields */
export function excessOf(schema: object, value: unknown): FieldErrors {
  const tooLarge: FieldErrors[number][] = [];
  const unknown: FieldErrors[number][] = [];
  look(schema, value, '', {
    tooLarge: (field, message) => tooLarge.push({ field, message }),
    unknown: (path, name) =>
      unknown.push(
        unknown.length < maxFieldErrors ? { field: fieldUnder(path, name), message: 'is an unknown field' } : counted,
      ),
  });
  return tooLarge.length > 0 || unknown.length > maxFieldErrors ? [...tooLarge, ...unknown] : [];
}

/** By JSON pointers. */
interface Notes {
  tooLarge(path: string, message: string): void;
  unknown(path: string, name: string): void;
}

function look(schema: Bounded, value: unknown, path: string, notes: Notes): void {
  if (typeof value !== 'object' || value === null) return;
  for (const branch of [schema.then, schema.else]) if (branch !== undefined) look(branch, value, path, notes);
  if (Array.isArray(value)) lookAtItems(schema, value, path, notes);
  else lookAtMembers(schema, value as Readonly<Record<string, unknown>>, path, notes);
}

function lookAtItems({ maxItems = Infinity, items }: Bounded, list: readonly unknown[], path: string, notes: Notes) {
  if (list.length > maxItems) notes.tooLarge(path, `must NOT have more than ${maxItems} items`);
  else if (items !== undefined) list.forEach((value, index) => look(items, value, `${path}/${index}`, notes));
}

function lookAtMembers(
  { maxProperties = Infinity, properties = {}, additionalProperties }: Bounded,
  members: Readonly<Record<string, unknown>>,
  path: string,
  notes: Notes,
): void {
  const names = Object.keys(members);
  if (names.length > maxProperties) return notes.tooLarge(path, `must NOT have more than ${maxProperties} properties`);
  for (const name of names) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (typeof inner === 'object') look(inner, members[name], fieldUnder(path, name), notes);
    else if (inner === false) notes.unknown(path, name);
  }
}
