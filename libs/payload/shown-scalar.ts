import { hash } from 'node:crypto';
import type { Scalar } from './json-body.ts';

const maxShownBytes = 255;

/**
 * A form for stores, record keys, headers and people: the value, or its hash if it is too long or contains characters that Postgres
 * refuses.
 */
export function shownScalar(scalar: Scalar): string {
  const text = scalar.kind === 'text' ? scalar.text : scalar.source;
  const printable = text.isWellFormed() && !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= maxShownBytes;
  return printable ? text : digestOf(text);
}

/** UTF-8 has no lone surrogates: each would become the same U+FFFD, and two values one. Such a text goes in by its code units. */
const digestOf = (text: string): string =>
  `sha256:${hash('sha256', Buffer.from(text, text.isWellFormed() ? 'utf8' : 'utf16le'), 'hex')}`;
