import { createHash } from 'node:crypto';
import { derivedId } from '#lib/ids';

/** The identity of a webhook: the sender's own identifier, or the body if it has none. */
export type Identifier =
  | { kind: 'text'; text: string }
  /** A JSON number, by the characters that it was written with: two numbers that a double can't tell apart stay two. */
  | { kind: 'number'; source: string }
  | { kind: 'body'; sha256: Buffer };

/**
 * The dedup key, 16 bytes: the front of a SHA-256 over tenant, source, and the identifier with its kind, each with its length before it,
 * so that no two lists of parts are the same bytes. The kind is a part: the text `1`, the number 1 and a body's hash are three identifiers.
 *
 * 128 bits: among 10^12 keys, two meet by chance with a probability of 10^-15.
 */
export function dedupKeyOf(tenant: string, sourceId: string, identifier: Identifier): Buffer {
  const { tag, bytes } = taggedBytes(identifier);
  const sha256 = createHash('sha256');
  for (const part of [Buffer.from(tenant), Buffer.from(sourceId), Buffer.from(tag), bytes])
    sha256.update(`${part.length}:`).update(part);
  return sha256.digest().subarray(0, 16);
}

function taggedBytes(identifier: Identifier): { tag: string; bytes: Buffer } {
  switch (identifier.kind) {
    case 'text':
      // UTF-8 has no lone surrogates: each would become the same U+FFFD. Such a text goes in by its code units.
      return identifier.text.isWellFormed()
        ? { tag: 'text', bytes: Buffer.from(identifier.text, 'utf8') }
        : { tag: 'utf16', bytes: Buffer.from(identifier.text, 'utf16le') };
    case 'number':
      return { tag: 'number', bytes: Buffer.from(identifier.source) };
    case 'body':
      return { tag: 'body', bytes: identifier.sha256 };
  }
}

/** 64 bits: they only tell whether a duplicate's body was another one. */
const bodyHashLength = 8;

export const bodyHashOf = (sha256: Buffer): Buffer => sha256.subarray(0, bodyHashLength);

/**
 * The id of the event that a received record becomes if it is the first of its key: a function of the record. See dedup-store.ts.
 *
 * The receipt is a part because a topic that was deleted and made again gives the same origins to other records.
 */
export const eventIdOf = (record: {
  tenant: string;
  sourceId: string;
  origin: string;
  receiptId: string;
  receivedAt: number;
}): string =>
  derivedId('evt', Math.floor(record.receivedAt / 1000), [
    record.tenant,
    record.sourceId,
    record.origin,
    record.receiptId,
  ]);
