/**
 * Schemas of documents repeat themselves: one that is too large has its repeated parts once, under `$defs`; if that is not enough, it loses its
 * annotations, which say nothing about values. The same schema always becomes the same.
 */
import { isTooLarge } from './given-type.ts';
import { listOf, nodeOf } from './schema-node.ts';

const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Values in these are no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples', 'required', 'type']);
const annotations = new Set(['description', 'title', 'examples', 'example', '$comment', 'externalDocs']);

export function fitSchema(schema: unknown): unknown {
  if (!isTooLarge(schema)) return schema;
  const shared = shareRepeated(schema);
  return isTooLarge(shared) ? shareRepeated(withoutAnnotations(schema)) : shared;
}

/** The schema with something done to each schema in it; not to itself. */
function mapInner(schema: unknown, work: (inner: unknown) => unknown): unknown {
  if (Array.isArray(schema)) return listOf(schema).map(work);
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

function withoutAnnotations(schema: unknown): unknown {
  const kept =
    typeof schema === 'object' && schema !== null && !Array.isArray(schema)
      ? Object.fromEntries(Object.entries(schema).filter(([name]) => !annotations.has(name)))
      : schema;
  return mapInner(kept, withoutAnnotations);
}

/** Shorter ones gain nothing. */
const minLength = 200;

function shareRepeated(schema: unknown): unknown {
  const counts = new Map<string, number>();
  const count = (inner: unknown): unknown => {
    const text = JSON.stringify(inner);
    if (text.length >= minLength) counts.set(text, (counts.get(text) ?? 0) + 1);
    return mapInner(inner, count);
  };
  mapInner(schema, count);
  const names = new Map<string, string>();
  const shared: Record<string, unknown> = {};
  const share = (inner: unknown): unknown => {
    const text = JSON.stringify(inner);
    if ((counts.get(text) ?? 0) < 2 || Array.isArray(inner)) return mapInner(inner, share);
    let name = names.get(text);
    if (name === undefined) {
      name = `shared_${names.size + 1}`;
      names.set(text, name);
      shared[name] = mapInner(inner, share);
    }
    return { $ref: `#/$defs/${name}` };
  };
  const own = nodeOf(mapInner(schema, share));
  return { ...own, $defs: { ...nodeOf(own['$defs']), ...shared } };
}
