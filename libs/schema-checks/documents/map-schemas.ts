/**
 * Where the schemas in a schema are: values of `const`, `default`, `enum` and examples are none, and members of `properties` are called by the tenant, so
 * that one may be called like a keyword. Recursive: what comes here has at most `maxLevels` levels (vet-json.ts).
 */
import type { SchemaNode } from './schema-node.ts';

const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Values in these are no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples', 'required', 'type']);

/** The schema with something done to each schema directly in it; not to itself. */
export function mapInner(schema: unknown, work: (inner: unknown) => unknown): unknown {
  if (Array.isArray(schema)) return schema.map(work);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, inner]: [string, unknown]) => {
      if (data.has(name) || typeof inner !== 'object' || inner === null) return [name, inner];
      if (Array.isArray(inner)) return [name, inner.map(work)];
      if (!schemaMaps.has(name)) return [name, work(inner)];
      return [name, Object.fromEntries(Object.entries(inner).map(([key, of]) => [key, work(of)]))];
    }),
  );
}

/** The schema with something done to each object that is a schema, the outer ones first. */
export function mapSchemas(schema: unknown, work: (node: SchemaNode) => SchemaNode): unknown {
  const isNode = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  return mapInner(isNode ? work(schema as SchemaNode) : schema, (inner) => mapSchemas(inner, work));
}
