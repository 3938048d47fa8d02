/*
 * RFC 6901, of our own: the packages looked at follow prototypes, or throw where a pointer leads nowhere. Here a sender's document decides
 * nothing but the value found: own properties only, and no error.
 */

/** The reference tokens; undefined if the text is not a pointer. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at the tokens in a parsed document; undefined if there is none. */
export function valueAt(document: unknown, tokens: readonly string[]): unknown {
  let value = document;
  for (const token of tokens) {
    if (typeof value !== 'object' || value === null) return undefined;
    // An array has elements only; `length` is not a member.
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(token)) return undefined;
    if (!Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}
