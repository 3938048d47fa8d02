/**
 * Schemas of other dialects as JSON Schema 2020-12, which is what types have. In doubt a converted schema takes more than the given one: an event
 * that a provider sends is never refused for a reading of ours.
 *
 * | dialect | differs in | source |
 * |---|---|---|
 * | OpenAPI 3.0 | `nullable`, bounds that are exclusive by a flag, `example`, `discriminator`, nothing beside `$ref` counts | OpenAPI 3.0.4, 4.7.24; its proposal 2019-10-31 on `nullable` |
 * | OpenAPI 3.1 | nothing; but documents that were raised from 3.0 still have its flags | OpenAPI 3.1.1, 4.8.24 |
 * | draft-04 | bounds that are exclusive by a flag, `id` | release notes of draft-06 |
 * | draft-04 to draft-07 | lists of `items`, `additionalItems`, `dependencies`, nothing beside `$ref` counts | release notes of 2019-09 and 2020-12 |
 * | 2019-09 | lists of `items`, `additionalItems`, `$recursiveRef` | release notes of 2020-12 |
 *
 * It walks with a list of its own, not by recursion, and looks at each part once.
 */
import { nodeOf, type SchemaNode } from './schema-node.ts';

export type Dialect = '2020-12' | '2019-09' | 'draft-07' | 'draft-06' | 'draft-04' | 'openapi-3.1' | 'openapi-3.0';

const dialects: readonly (readonly [RegExp, Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 'draft-07'],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, 'draft-06'],
  [/^https?:\/\/json-schema\.org\/(?:draft-04\/)?schema#?$/, 'draft-04'],
  [/^https:\/\/spec\.openapis\.org\/oas\/3\.1\/(?:dialect|schema)\/[\w-]+$/, 'openapi-3.1'],
];

/** @param uri a value of `$schema`, or of `jsonSchemaDialect`. @returns undefined for one that is not known */
export const dialectOf = (uri: unknown): Dialect | undefined =>
  typeof uri === 'string' ? dialects.find(([pattern]) => pattern.test(uri))?.[1] : undefined;

type Node = Record<string, unknown>;

const inOne = [
  ...['additionalProperties', 'items', 'unevaluatedItems', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedProperties', 'contentSchema'],
] as const;
const inList = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const inMap = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;

/** Converts schemas to 2020-12. What is no schema stays as it is: whoever compiles it says what is wrong. */
export type ConvertDialect = (schema: unknown, dialect: Dialect) => unknown;

/** For the schemas of one document: what several of them have in common is converted once, and is the same object in all. */
export function createConversion(): ConvertDialect {
  const known = new Map<Dialect, WeakMap<object, Node>>();
  return (schema, dialect) => {
    if (dialect === '2020-12') return schema;
    let ofDialect = known.get(dialect);
    if (ofDialect === undefined) known.set(dialect, (ofDialect = new WeakMap()));
    return convert(schema, dialect, ofDialect);
  };
}

function convert(schema: unknown, dialect: Dialect, known: WeakMap<object, Node>): unknown {
  const whole: { schema: unknown } = { schema };
  const open: [holder: Node | unknown[], at: string | number][] = [[whole, 'schema']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [holder, at] = next;
    const value = (holder as Node)[at];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const before = known.get(value);
    const node = before ?? convertNode(value as SchemaNode, dialect);
    (holder as Node)[at] = node;
    if (before !== undefined) continue;
    known.set(value, node);
    for (const keyword of inOne) if (node[keyword] !== undefined) open.push([node, keyword]);
    for (const keyword of [...inList, ...inMap]) {
      const inner = node[keyword];
      if (typeof inner !== 'object' || inner === null) continue;
      const copy: Node | unknown[] = Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner };
      node[keyword] = copy;
      for (const name of Object.keys(copy)) open.push([copy, name]);
    }
  }
  return whole.schema;
}

/** These say nothing about values, and so are left beside a `$ref`. */
const annotations = ['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'default', 'examples', 'example'];

/** One schema, without those in it. */
function convertNode(given: SchemaNode, dialect: Dialect): Node {
  const isOpenApi = dialect.startsWith('openapi');
  const isDraft = dialect.startsWith('draft');
  const node: Node = { ...given };
  delete node['$schema'];
  if ((isDraft || dialect === 'openapi-3.0') && typeof node['$ref'] === 'string') {
    const { $ref, $defs, definitions, nullable } = node;
    const kept = Object.fromEntries(Object.entries(node).filter(([keyword]) => annotations.includes(keyword)));
    const places = { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) };
    return asNullable({ ...kept, $ref, ...places, ...(isOpenApi && { nullable }) }, isOpenApi);
  }
  if (isOpenApi || dialect === 'draft-04') {
    convertBound(node, 'minimum', 'exclusiveMinimum');
    convertBound(node, 'maximum', 'exclusiveMaximum');
  }
  if (dialect === 'draft-04' && typeof node['id'] === 'string') {
    node['$id'] ??= node['id'];
    delete node['id'];
  }
  if (isDraft) convertId(node);
  convertTuple(node);
  convertDependencies(node);
  if (dialect === '2019-09') convertRecursion(node);
  if (dialect === 'openapi-3.0') {
    if (node['example'] !== undefined) node['examples'] ??= [node['example']];
    for (const keyword of ['example', 'discriminator', 'xml']) delete node[keyword];
    // Swagger 2 and generators have these.
    if (node['type'] === 'file') node['type'] = 'string';
    if (node['type'] === 'any') delete node['type'];
  }
  return asNullable(node, isOpenApi);
}

/** `{minimum: 0, exclusiveMinimum: true}` is `{exclusiveMinimum: 0}`. */
function convertBound(node: Node, bound: string, exclusive: string): void {
  const flag = node[exclusive];
  if (typeof flag !== 'boolean') return;
  delete node[exclusive];
  if (!flag || node[bound] === undefined) return;
  node[exclusive] = node[bound];
  delete node[bound];
}

/** `#name` was an anchor, and an empty fragment at the end no matter. */
function convertId(node: Node): void {
  const id = node['$id'];
  if (typeof id !== 'string') return;
  const [before = '', fragment = ''] = id.split('#', 2);
  if (fragment !== '') node['$anchor'] ??= fragment;
  if (before === '') delete node['$id'];
  else node['$id'] = before;
}

function convertTuple(node: Node): void {
  const { items, additionalItems } = node;
  delete node['additionalItems'];
  if (!Array.isArray(items)) return;
  delete node['items'];
  // An empty list is not valid, and says as much as none.
  if (items.length > 0) node['prefixItems'] ??= items;
  if (additionalItems !== undefined) node['items'] = additionalItems;
}

function convertDependencies(node: Node): void {
  const { dependencies } = node;
  if (typeof dependencies !== 'object' || dependencies === null || Array.isArray(dependencies)) return;
  delete node['dependencies'];
  const entries = Object.entries(dependencies);
  const names = entries.filter(([, needed]) => Array.isArray(needed));
  const schemas = entries.filter(([, needed]) => !Array.isArray(needed));
  if (names.length > 0)
    node['dependentRequired'] = { ...Object.fromEntries(names), ...nodeOf(node['dependentRequired']) };
  if (schemas.length > 0)
    node['dependentSchemas'] = { ...Object.fromEntries(schemas), ...nodeOf(node['dependentSchemas']) };
}

/** Nothing extends a schema that stands by itself, so that its recursion leads to its own root. */
function convertRecursion(node: Node): void {
  if (node['$recursiveRef'] === '#') node['$ref'] ??= '#';
  delete node['$recursiveRef'];
  delete node['$recursiveAnchor'];
}

/**
 * With `nullable`, null is a value too. By the letter of 3.0.3 that counts beside a `type` alone, and `enum` must list it; authors mean it beside
 * `$ref`, `allOf` and `enum` as well.
 */
function asNullable({ nullable, ...node }: Node, isOpenApi: boolean): Node {
  if (!isOpenApi || nullable !== true) return isOpenApi || nullable === undefined ? node : { ...node, nullable };
  const { type } = node;
  const isComposed = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'const'].some((keyword) =>
    Object.hasOwn(node, keyword),
  );
  if (isComposed) {
    const outside = Object.fromEntries(Object.entries(node).filter(([keyword]) => isOutside(keyword)));
    const inside = Object.fromEntries(Object.entries(node).filter(([keyword]) => !isOutside(keyword)));
    return { ...outside, anyOf: [inside, { type: 'null' }] };
  }
  const { enum: values } = node;
  const types: unknown[] = Array.isArray(type) ? (type as unknown[]) : [type];
  return {
    ...node,
    ...(type !== undefined && { type: types.includes('null') ? type : [...types, 'null'] }),
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...(values as unknown[]), null] }),
  };
}

/** References by a pointer must find what they found. */
const isOutside = (keyword: string): boolean =>
  annotations.includes(keyword) || ['$defs', 'definitions', '$id', '$anchor'].includes(keyword);
