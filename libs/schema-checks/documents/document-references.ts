/**
 * References of schemas within documents. In a document of OpenAPI they start at its root; in a type they start at its own schema:
 *
 *   #/webhooks/<name>/post/…/schema/…  ◄─►  #/…        a place in the same schema
 *   #/components/schemas/a              ──►  #/$defs/a  shared ones come along
 *
 * Nothing is copied before it is known how large the result will be, and references are followed without recursion: a chain of thousands of them is no
 * deeper than one.
 */
import { nodeOf, resolveReference } from './schema-node.ts';

/** Values in these are no schemas. */
const data = new Set(['const', 'default', 'enum', 'example', 'examples']);

/** The place of a type's schema in a document, as a JSON pointer in the fragment of a URL (RFC 6901, 6). */
const placeOf = (name: string): string =>
  `#/webhooks/${pointerStep(name)}/post/requestBody/content/application~1json/schema`;

const pointerStep = (name: string): string =>
  encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%3A', ':');

/** A part of a document that goes beyond a limit. */
export class TooLarge extends Error {}

/** Limits of schemas with all that they refer to: of each, and of all of a document. */
export interface BundleLimits {
  maxBytes: number;
  maxAllBytes: number;
}

export type Bundle = (name: string, schema: unknown) => unknown;

/**
 * For the schemas of one document.
 *
 * @returns gives a schema with all that it refers to, so that it stands by itself. @throws TooLarge
 */
export function createBundle(document: unknown, { maxBytes, maxAllBytes }: BundleLimits): Bundle {
  const lengthOf = measure();
  const { referencesIn, mapReferences } = createReferences();
  let allBytes = 0;

  return (name, schema) => {
    const place = placeOf(name);
    const names = new Map<string, string>();
    const taken = new Set<string>();
    const nextOf = new Map<string, number>();
    const targets = new Map<string, unknown>();
    let bytes = lengthOf(schema);
    const isShared = (reference: string): boolean =>
      reference !== place && !reference.startsWith(`${place}/`) && reference.startsWith('#/');

    function add(reference: string): unknown {
      const target = resolveReference(document, reference) ?? false;
      bytes += lengthOf(target);
      if (bytes > maxBytes)
        throw new TooLarge(
          `with what it refers to it has more than ${maxBytes} bytes, the limit of a schema before it is made smaller`,
        );
      if (allBytes + bytes > maxAllBytes)
        throw new TooLarge(
          `with what they refer to, the types before and this one have more than ${maxAllBytes} bytes, the limit of an import`,
        );
      const wanted = (reference.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '_');
      let given = wanted;
      for (let n = nextOf.get(wanted) ?? 2; taken.has(given); n += 1) {
        given = `${wanted}_${n}`;
        nextOf.set(wanted, n + 1);
      }
      taken.add(given);
      names.set(reference, given);
      targets.set(given, target);
      return target;
    }

    if (bytes > maxBytes)
      throw new TooLarge(`it has more than ${maxBytes} bytes, the limit of a schema before it is made smaller`);
    // In the order of a reader who follows each reference at once.
    const open = [referencesIn(schema).values()];
    for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
      const { value: reference } = current.next();
      if (reference === undefined) open.pop();
      else if (isShared(reference) && !names.has(reference)) open.push(referencesIn(add(reference)).values());
    }
    allBytes += bytes;

    const lead = (reference: string): string => {
      if (!isShared(reference))
        return reference === place || reference.startsWith(`${place}/`)
          ? `#${reference.slice(place.length)}`
          : reference;
      return `#/$defs/${names.get(reference) ?? ''}`;
    };
    const own = mapReferences(schema, lead);
    if (names.size === 0) return own;
    const shared = Object.fromEntries([...targets].map(([given, target]) => [given, mapReferences(target, lead)]));
    return { ...nodeOf(own), $defs: { ...nodeOf(nodeOf(own)['$defs']), ...shared } };
  };
}

/** The length of a value's JSON text, by a look at each part of the document once. */
function measure(): (value: unknown) => number {
  const known = new Map<object, number>();
  const lengthOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)?.length ?? 0;
    const before = known.get(value);
    if (before !== undefined) return before;
    let length = 2;
    for (const [name, inner] of Object.entries(value))
      length += lengthOf(inner) + 1 + (Array.isArray(value) ? 0 : name.length + 3);
    known.set(value, length);
    return length;
  };
  return lengthOf;
}

/** The schema as it stands in a document. One with an `$id` is a document of its own. */
export const placed = (name: string, schema: unknown): unknown =>
  nodeOf(schema)['$id'] !== undefined
    ? schema
    : mapReferences(schema, (reference) =>
        reference === '#' || reference.startsWith('#/') ? `${placeOf(name)}${reference.slice(1)}` : reference,
      );

type Lead = (reference: string) => string;

/** A part that many types of a document refer to is looked through once; mapped in the same way again, it is the same object. */
function createReferences(): {
  /** In the order in which they are written. */
  referencesIn(value: unknown): readonly string[];
  mapReferences(value: unknown, lead: Lead): unknown;
} {
  const found = new WeakMap<object, readonly string[]>();
  const mapped = new WeakMap<object, { leads: readonly string[]; value: unknown }>();

  function referencesIn(value: unknown): readonly string[] {
    if (typeof value !== 'object' || value === null) return [];
    let references = found.get(value);
    if (references === undefined) found.set(value, (references = listReferences(value)));
    return references;
  }

  return {
    referencesIn,
    mapReferences(value, lead) {
      if (typeof value !== 'object' || value === null) return value;
      const leads = referencesIn(value).map(lead);
      const last = mapped.get(value);
      if (last?.leads.every((one, at) => one === leads[at]) === true) return last.value;
      const now = mapReferences(value, lead);
      mapped.set(value, { leads, value: now });
      return now;
    },
  };
}

function listReferences(value: unknown): string[] {
  const found: string[] = [];
  mapReferences(value, (reference) => {
    found.push(reference);
    return reference;
  });
  return found;
}

function mapReferences(value: unknown, lead: Lead): unknown {
  if (Array.isArray(value)) return value.map((item) => mapReferences(item, lead));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) === null) return value;
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
