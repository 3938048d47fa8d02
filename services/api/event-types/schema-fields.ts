/**
 * The fields that a JSON Schema describes, flat: `data.items[].id`. Local references are followed, `allOf` adds up, and of `anyOf` and `oneOf` each
 * branch may be. Its levels and parts are limited: of a schema that goes beyond, or that refers to itself, the rest counts as one value.
 */
import { listOf, nodeOf, resolveReference, type SchemaNode } from './schema-node.ts';

export interface SchemaField {
  /** JSON types that it may have, sorted; empty: any. */
  types: readonly string[];
  required: boolean;
  /** The values that it may have; undefined: any. */
  values: readonly unknown[] | undefined;
  description: string;
  /** All else that is said of its value, to notice that it changed. */
  rest: readonly object[];
}

export type SchemaFields = ReadonlyMap<string, SchemaField>;

const maxLevels = 24;
const maxVisits = 4_000;

/** Keywords that are looked into, or say nothing about values. */
const looked = new Set([
  ...['properties', 'required', 'items', 'prefixItems', 'type', 'enum', 'const', 'nullable', '$ref', '$defs'],
  ...['definitions', 'allOf', 'anyOf', 'oneOf', 'additionalProperties', 'title', 'description', 'examples', 'example'],
  ...[
    'default',
    'deprecated',
    '$comment',
    '$schema',
    '$id',
    'readOnly',
    'writeOnly',
    'discriminator',
    'xml',
    'externalDocs',
  ],
]);

/** The whole payload is the field with the empty name. */
export function schemaFields(schema: unknown): SchemaFields {
  const fields = new Map<string, SchemaField>();
  walk({ root: schema, fields, left: maxVisits }, schema, {
    path: '',
    required: true,
    levels: maxLevels,
    followed: [],
  });
  return fields;
}

interface Walk {
  root: unknown;
  fields: Map<string, SchemaField>;
  /** Parts of the schema that may still be looked at: references can multiply them. */
  left: number;
}

interface Place {
  path: string;
  required: boolean;
  levels: number;
  /** References on the way here. */
  followed: readonly string[];
}

function walk(walking: Walk, schema: unknown, { path, required, levels, followed }: Place): void {
  const { fields } = walking;
  const parts: { node: SchemaNode; isChoice: boolean; followed: readonly string[] }[] = [];
  const isWhole = spread(walking, schema, { parts, isChoice: false, followed });
  const before = fields.get(path);
  const [nodes, sure] = [parts.map(({ node }) => node), parts.filter(({ isChoice }) => !isChoice)];
  const here: SchemaField = {
    types: [...new Set(nodes.flatMap(typesOf))].sort(),
    required,
    values: union(parts.map(({ node }) => valuesOf(node))),
    description: nodes.flatMap(({ description }) => (typeof description === 'string' ? [description] : []))[0] ?? '',
    rest: nodes.map(restOf).filter((rest) => Object.keys(rest).length > 0),
  };
  fields.set(path, before === undefined ? here : either(before, here));
  if (levels === 0 || !isWhole) return;

  const isRequired = new Set(sure.flatMap(({ node }) => textsOf(node['required'])));
  for (const part of parts) {
    const into = { levels: levels - 1, followed: part.followed };
    for (const [name, property] of Object.entries(nodeOf(part.node['properties'])))
      walk(walking, property, {
        ...into,
        path: path === '' ? name : `${path}.${name}`,
        required: isRequired.has(name),
      });
    for (const items of itemsOf(part.node)) walk(walking, items, { ...into, path: `${path}[]`, required: true });
    const { additionalProperties: more } = part.node;
    if (typeof more === 'object' && more !== null)
      walk(walking, more, { ...into, path: `${path === '' ? '' : `${path}.`}*`, required: false });
  }
}

/** Collects the schemas that say something about the same value. @returns false: not all, for it refers to itself */
function spread(
  walking: Walk,
  schema: unknown,
  given: {
    parts: { node: SchemaNode; isChoice: boolean; followed: readonly string[] }[];
    isChoice: boolean;
    followed: readonly string[];
  },
): boolean {
  const { parts, isChoice, followed } = given;
  const node = nodeOf(schema);
  walking.left -= 1;
  if (walking.left < 0) return false;
  parts.push({ node, isChoice, followed });
  let isWhole = true;
  const { $ref: reference } = node;
  if (typeof reference === 'string') {
    if (followed.includes(reference)) return false;
    const target = resolveReference(walking.root, reference);
    isWhole = spread(walking, target, { parts, isChoice, followed: [...followed, reference] }) && isWhole;
  }
  for (const inner of listOf(node['allOf'])) isWhole = spread(walking, inner, given) && isWhole;
  for (const inner of [...listOf(node['anyOf']), ...listOf(node['oneOf'])])
    isWhole = spread(walking, inner, { ...given, isChoice: true }) && isWhole;
  return isWhole;
}

/** A field that two branches describe. */
const either = (one: SchemaField, other: SchemaField): SchemaField => ({
  types: one.types.length === 0 || other.types.length === 0 ? [] : [...new Set([...one.types, ...other.types])].sort(),
  required: one.required && other.required,
  values: one.values === undefined || other.values === undefined ? undefined : union([one.values, other.values]),
  description: one.description || other.description,
  rest: [...one.rest, ...other.rest],
});

function typesOf(node: SchemaNode): string[] {
  const { type, nullable } = node;
  const types = typeof type === 'string' ? [type] : textsOf(type);
  return nullable === true && types.length > 0 ? [...types, 'null'] : types;
}

function valuesOf(node: SchemaNode): unknown[] | undefined {
  if (Object.hasOwn(node, 'const')) return [node['const']];
  return Array.isArray(node['enum']) ? node['enum'] : undefined;
}

function union(lists: readonly (readonly unknown[] | undefined)[]): unknown[] | undefined {
  const given = lists.filter((list) => list !== undefined);
  if (given.length === 0) return undefined;
  return [...new Map(given.flat().map((value) => [JSON.stringify(value), value])).values()];
}

const restOf = (node: SchemaNode): object =>
  Object.fromEntries(
    Object.entries(node)
      .filter(([keyword]) => !looked.has(keyword))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const itemsOf = (node: SchemaNode): unknown[] => {
  const items = node['items'];
  return [...(typeof items === 'object' && items !== null ? [items] : []), ...listOf(node['prefixItems'])];
};

const textsOf = (value: unknown): string[] => listOf(value).filter((item): item is string => typeof item === 'string');
