/**
 * References of schemas within documents. In a document of OpenAPI they start at its root; in a type they start at its own schema:
 *
 *   #/webhooks/<name>/post/…/schema/…  ◄─►  #/…        a place in the same schema
 *   #/components/schemas/a              ──►  #/$defs/a  shared ones come along
 */
import { nodeOf, resolveReference } from './schema-node.ts';

/** Values in these are no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** The place of a type's schema in a document, as a JSON pointer in the fragment of a URL (RFC 6901, 6). */
const placeOf = (name: string): string =>
  `#/webhooks/${pointerStep(name)}/post/requestBody/content/application~1json/schema`;

const pointerStep = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%3A', ':');

/** The schema with all that it refers to, so that it stands by itself. */
export function bundle(document: unknown, name: string, schema: unknown): unknown {
  const place = placeOf(name);
  const names = new Map<string, string>();
  const shared: Record<string, unknown> = {};
  const visit = (value: unknown): unknown => mapReferences(value, lead);
  function lead(reference: string): string {
    if (reference === place || reference.startsWith(`${place}/`)) return `#${reference.slice(place.length)}`;
    if (!reference.startsWith('#/')) return reference;
    const known = names.get(reference);
    if (known !== undefined) return `#/$defs/${known}`;
    const wanted = (reference.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_');
    const taken = new Set(names.values());
    let given = wanted;
    for (let n = 2; taken.has(given); n += 1) given = `${wanted}_${n}`;
    names.set(reference, given);
    // In its place before what it refers to, which may be itself.
    shared[given] = null;
    shared[given] = visit(resolveReference(document, reference) ?? false);
    return `#/$defs/${given}`;
  }
  const own = visit(schema);
  if (names.size === 0) return own;
  return { ...nodeOf(own), $defs: { ...nodeOf(nodeOf(own)['$defs']), ...shared } };
}

/** The schema as it stands in a document. One with an `$id` is a document of its own. */
export const placed = (name: string, schema: unknown): unknown =>
  nodeOf(schema)['$id'] !== undefined
    ? schema
    : mapReferences(schema, (reference) =>
        reference === '#' || reference.startsWith('#/') ? `${placeOf(name)}${reference.slice(1)}` : reference,
      );

function mapReferences(value: unknown, lead: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapReferences(item, lead));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => {
      if (name === '$ref' && typeof inner === 'string') return [name, lead(inner)];
      return [name, data.has(name) && !isSchemaMap(inner) ? inner : mapReferences(inner, lead)];
    }),
  );
}

/** A property may be called `default` or `example`: then its value is a schema. */
const isSchemaMap = (value: unknown): boolean =>
  ['type', '$ref', 'properties', 'allOf', 'anyOf', 'oneOf'].some((keyword) => Object.hasOwn(nodeOf(value), keyword));
