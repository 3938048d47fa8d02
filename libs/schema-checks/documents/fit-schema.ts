/**
 * Schemas of documents repeat themselves: one that is too large has its repeated parts once, under `$defs`; if that is not enough, it loses its
 * annotations, which say nothing about values. The same schema always becomes the same. The time grows with the schema's size alone: two parts are known to
 * be the same by numbers, not by their texts.
 */
import { maxSchemaBytes } from '#lib/contract';
import { mapInner } from './map-schemas.ts';
import { nodeOf } from './schema-node.ts';

const annotations = new Set(['description', 'title', 'examples', 'example', '$comment', 'externalDocs']);

const isTooLarge = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) > maxSchemaBytes;

/** For the schemas of one document: what several of them have in common is numbered once, and one that comes again is fitted once. */
export function createFit(): (schema: unknown) => unknown {
  const known = numberValues();
  const fitted = new Map<number, unknown>();
  return (schema) => {
    const { id, length } = known(schema);
    // Its bytes are no fewer than its characters.
    if (length <= maxSchemaBytes && !isTooLarge(schema)) return schema;
    if (!fitted.has(id)) fitted.set(id, fit(schema, known));
    return fitted.get(id);
  };
}

function fit(schema: unknown, known: Numbering): unknown {
  const shared = shareRepeated(schema, known);
  return isTooLarge(shared) ? shareRepeated(withoutAnnotations(schema), known) : shared;
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

/** A value's number among all that differ as JSON texts, and the length of that text. */
interface Known {
  id: number;
  length: number;
}

type Numbering = (value: unknown) => Known;

/** Numbers values by what they are: the same JSON text, the same number. */
function numberValues(): Numbering {
  const byObject = new WeakMap<object, Known>();
  const byKey = new Map<string, Known>();
  const numbered = (key: string, length: number): Known => {
    let known = byKey.get(key);
    if (known === undefined) byKey.set(key, (known = { id: byKey.size, length }));
    return known;
  };
  const look = (value: unknown): Known => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === null) {
      const text = JSON.stringify(value);
      return numbered(text, text.length);
    }
    const before = byObject.get(value);
    if (before !== undefined) return before;
    const parts: string[] = [];
    let length = 2;
    for (const [name, inner] of Object.entries(value)) {
      const known = look(inner);
      const label = Array.isArray(value) ? '' : `${JSON.stringify(name)}:`;
      parts.push(`${label}${known.id}`);
      length += label.length + known.length + 1;
    }
    const key = Array.isArray(value) ? `[${parts.join()}]a` : `{${parts.join()}}o`;
    const known = numbered(key, parts.length === 0 ? length : length - 1);
    byObject.set(value, known);
    return known;
  };
  return look;
}

function shareRepeated(schema: unknown, known: Numbering): unknown {
  const counts = new Map<number, number>();
  const count = (inner: unknown): unknown => {
    const { id, length } = known(inner);
    if (length >= minLength) counts.set(id, (counts.get(id) ?? 0) + 1);
    return mapInner(inner, count);
  };
  mapInner(schema, count);
  const names = new Map<number, string>();
  const shared: Record<string, unknown> = {};
  const share = (inner: unknown): unknown => {
    const { id } = known(inner);
    if ((counts.get(id) ?? 0) < 2 || Array.isArray(inner)) return mapInner(inner, share);
    let name = names.get(id);
    if (name === undefined) {
      name = `shared_${names.size + 1}`;
      names.set(id, name);
      shared[name] = mapInner(inner, share);
    }
    return { $ref: `#/$defs/${name}` };
  };
  const own = nodeOf(mapInner(schema, share));
  return { ...own, $defs: { ...nodeOf(own['$defs']), ...shared } };
}
