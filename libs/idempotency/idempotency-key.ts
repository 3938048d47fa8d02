/**
 * The client's key: the header's bytes as they came, or what a structured-field string (RFC 9651, section 3.3.3; the form of
 * draft-ietf-httpapi-idempotency-key-header) holds. `abc` and `"abc"` are one key.
 */

const keyHeaders = ['idempotency-key', 'x-idempotency-key'] as const;

const maxKeyBytes = 255;

/** `problem`, for the client: the two values or headers differ, or the key is malformed. */
export type ReadKey = { key: string } | { problem: string } | undefined;

/** @param rawHeaders name, value, name, value, …: elsewhere, repeated headers are already joined */
export function readIdempotencyKey(rawHeaders: readonly string[]): ReadKey {
  const values = rawHeaders.filter((_, index) => isKeyHeader(rawHeaders[index - 1], index));
  if (values.length === 0) return undefined;
  const keys = new Set(values.map(parseIdempotencyKey));
  const [key] = keys;
  if (keys.size > 1) return { problem: 'The request names two different idempotency keys' };
  if (key === undefined)
    return { problem: `An idempotency key has 1 to ${maxKeyBytes} bytes, and no control characters` };
  return { key };
}

/**
 * @param value one character per byte, as Node gives headers
 * @returns the key, one character per byte; undefined if it is malformed
 */
export function parseIdempotencyKey(value: string): string | undefined {
  const text = value.replace(/^[ \t]+|[ \t]+$/g, '');
  const key = text.startsWith('"') ? unquote(text) : text;
  if (key === undefined || key.length < 1 || key.length > maxKeyBytes) return undefined;
  // oxlint-disable-next-line no-control-regex
  return /[\x00-\x1f\x7f]/.test(key) ? undefined : key;
}

const isKeyHeader = (name: string | undefined, index: number): boolean =>
  index % 2 === 1 && keyHeaders.some((header) => header === name?.toLowerCase());

function unquote(text: string): string | undefined {
  const [, inner] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text) ?? [];
  return inner?.replace(/\\(["\\])/g, '$1');
}
