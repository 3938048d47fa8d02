/** No part holds a NUL: Postgres refuses such a text, and so the batch, whatever the key. */
export const keyOf = (...parts: readonly string[]): string => parts.join('\0');
