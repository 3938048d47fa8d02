/**
 * The fields that a JSON Schema describes, flat: `data.items[].id`. Local references are followed, `allOf` adds up, and of `anyOf` and `oneOf` each
 * branch may be. Its levels and its parts are limited, each reference that is followed and each value of an enumeration counted: references can multiply
 * parts without end. A part that refers to itself counts as one value; beyond the limit nothing is looked at, and the fields are `truncated`.
 */
import { listOf, nodeOf, resolveReference, type SchemaNode } from './schema-node.ts';

export interface SchemaField {
  /** JSON types that it may have, sorted; empty: any. */
  types: readonly string[];
  required: boolean;
  /** The values that it may have, by their texts; undefined: any. */
  values: ReadonlyMap<string, unknown> | undefined;
  description: string;
  /** All else that is said of its value, to notice that it changed. */
  rest: readonly SchemaNode[];
}

export interface SchemaFields {
  /** In the order in which they are written. The whole payload is the field with the empty name. */
  fields: ReadonlyMap<string, SchemaField>;
  truncated: boolean;
}

const maxLevels = 24;
export const maxParts = 20_000;

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

export function schemaFields(schema: unknown): SchemaFields {
  const walking: Walk = { root: schema, fields: new Map(), left: maxParts, targets: new Map(), rests: new Map() };
  walk(walking, schema, { path: '', required: true, levels: maxLevels, followed: [] });
  return { fields: walking.fields, truncated: walking.left < 0 };
}

interface Walk {
  root: unknown;
  fields: Map<string, Gathered>;
  /** Parts of the schema that may still be looked at. */
  left: number;
  /** Targets of references, and `restOf` of schemas: both are asked for again and again. */
  targets: Map<string, unknown>;
  rests: Map<SchemaNode, SchemaNode>;
}

/** A field while branches that describe it may still come. */
interface Gathered extends SchemaField {
  values: Map<string, unknown> | undefined;
  rest: SchemaNode[];
}

interface Place {
  path: string;
  required: boolean;
  levels: number;
  /** References on the way here. */
  followed: readonly string[];
}

interface Part {
  node: SchemaNode;
  isChoice: boolean;
  followed: readonly string[];
}

function walk(walking: Walk, schema: unknown, { path, required, levels, followed }: Place): void {
  if (walking.left <= 0) {
    walking.left = -1;
    return;
  }
  const parts: Part[] = [];
  const isWhole = spread(walking, schema, { parts, isChoice: false, followed });
  gather(walking, path, parts, required);
  if (levels === 0 || !isWhole) return;

  const isRequired = new Set(
    parts.filter(({ isChoice }) => !isChoice).flatMap(({ node }) => textsOf(node['required'])),
  );
  for (const part of parts) {
    const into = { levels: levels - 1, followed: part.followed };
    for (const [name, property] of Object.entries(nodeOf(part.node['properties']))) {
      if (walking.left < 0) return;
      walk(walking, property, {
        ...into,
        path: path === '' ? name : `${path}.${name}`,
        required: isRequired.has(name),
      });
    }
    for (const items of itemsOf(part.node)) walk(walking, items, { ...into, path: `${path}[]`, required: true });
    const { additionalProperties: more } = part.node;
    if (typeof more === 'object' && more !== null)
      walk(walking, more, { ...into, path: `${path === '' ? '' : `${path}.`}*`, required: false });
  }
}

/** Adds what these parts say of a field to what branches before have said. */
function gather({ fields, rests }: Walk, path: string, parts: readonly Part[], required: boolean): void {
  const nodes = parts.map(({ node }) => node);
  const types = [...new Set(nodes.flatMap(typesOf))].sort();
  const lists = nodes.map(valuesOf).filter((list) => list !== undefined);
  const values = lists.length === 0 ? undefined : new Map(lists.flat().map((value) => [JSON.stringify(value), value]));
  const description =
    nodes.flatMap(({ description }) => (typeof description === 'string' ? [description] : []))[0] ?? '';
  const rest = nodes.map((node) => knownRest(rests, node)).filter((one) => Object.keys(one).length > 0);
  const before = fields.get(path);
  if (before === undefined) {
    fields.set(path, { types, required, values, description, rest });
    return;
  }
  before.types =
    before.types.length === 0 || types.length === 0 ? [] : [...new Set([...before.types, ...types])].sort();
  before.required &&= required;
  if (values === undefined) before.values = undefined;
  else for (const [text, value] of values) before.values?.set(text, value);
  before.description ||= description;
  before.rest.push(...rest);
}

/** Collects the schemas that say something about the same value. @returns false: not all, for it refers to itself, or the limit is reached */
function spread(
  walking: Walk,
  schema: unknown,
  given: { parts: Part[]; isChoice: boolean; followed: readonly string[] },
): boolean {
  const { parts, isChoice, followed } = given;
  const node = nodeOf(schema);
  const values = node['enum'];
  walking.left -= 1 + (Array.isArray(values) ? values.length : 0);
  if (walking.left < 0) return false;
  parts.push({ node, isChoice, followed });
  let isWhole = true;
  const { $ref: reference } = node;
  if (typeof reference === 'string') {
    if (followed.includes(reference)) return false;
    const target = targetOf(walking, reference);
    isWhole = spread(walking, target, { parts, isChoice, followed: [...followed, reference] }) && isWhole;
  }
  for (const inner of listOf(node['allOf'])) {
    if (walking.left < 0) return false;
    isWhole = spread(walking, inner, given) && isWhole;
  }
  for (const inner of [...listOf(node['anyOf']), ...listOf(node['oneOf'])]) {
    if (walking.left < 0) return false;
    isWhole = spread(walking, inner, { ...given, isChoice: true }) && isWhole;
  }
  return isWhole;
}

function targetOf({ root, targets }: Walk, reference: string): unknown {
  if (!targets.has(reference)) targets.set(reference, resolveReference(root, reference));
  return targets.get(reference);
}

function typesOf(node: SchemaNode): string[] {
  const { type, nullable } = node;
  const types = typeof type === 'string' ? [type] : textsOf(type);
  return nullable === true && types.length > 0 ? [...types, 'null'] : types;
}

function valuesOf(node: SchemaNode): unknown[] | undefined {
  if (Object.hasOwn(node, 'const')) return [node['const']];
  return Array.isArray(node['enum']) ? node['enum'] : undefined;
}

function knownRest(rests: Walk['rests'], node: SchemaNode): SchemaNode {
  const known = rests.get(node);
  if (known !== undefined) return known;
  const rest = restOf(node);
  rests.set(node, rest);
  return rest;
}

const restOf = (node: SchemaNode): SchemaNode =>
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
