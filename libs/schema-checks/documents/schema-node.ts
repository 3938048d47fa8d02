/** A schema, or a part of it: JSON that was not vetted, so that nothing of it is taken for granted. */
export type SchemaNode = Readonly<Record<string, unknown>>;

export const nodeOf = (value: unknown): SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaNode) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `#`, `#/$defs/a`: a JSON pointer in the same schema. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at = root;
  for (const part of decodePointer(reference.slice(1)).split('/').slice(1)) {
    const name = part.replace(/~1/g, '/').replace(/~0/g, '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as SchemaNode)[name] : undefined;
  }
  return at;
}

function decodePointer(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
