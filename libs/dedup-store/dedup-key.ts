import { hash } from 'node:crypto';
import { derivedId } from '#lib/runtime';

/** The identity of a webhook: the sender's own identifier, or the body if it has none. */
export type Identifier =
  | { kind: 'text'; text: string }
  /** A JSON number, by the characters that it was written with: two numbers that a double can't tell apart stay two. */
  | { kind: 'number'; source: string }
  | { kind: 'body'; sha256: Buffer }
  | { kind: 'receipt'; id: string };

/**
 * The dedup key, 16 bytes: the front of a SHA-256 over tenant, source, and the identifier with its kind, each with its length before it,
 * so that no two lists of parts are the same bytes. The kind is a part: the text `1`, the number 1 and a body's hash are three identifiers.
 *
 * 128 bits: among 10^12 keys, two meet by chance with a probability of 10^-15.
 */
export const dedupKeyOf = (tenant: string, sourceId: string, identifier: Identifier): Buffer =>
  digestOf([tenant, sourceId, ...taggedBytes(identifier)]).subarray(0, keyBytes);

const keyBytes = 16;
/** Finds a sender's identifier among 10^9 events with one or two others. */
const leadBytes = 4;

/**
 * The dedup key of an identifier that counts together with something else, or is of several values: 16 bytes, and the first four are the
 * same for all keys with this identifier, so that an index of keys finds its events. The other twelve are of all parts: among 10^9
 * webhooks with one identifier, two meet by chance with a probability of 10^-11.
 *
 * @param shown the identifier as the event shows it
 */
export function compoundKeyOf(
  tenant: string,
  sourceId: string,
  { shown, parts }: { shown: string; parts: readonly Identifier[] },
): Buffer {
  const whole = digestOf([tenant, sourceId, 'parts', ...parts.flatMap(taggedBytes)]);
  return Buffer.concat([leadOf(tenant, sourceId, shown), whole], keyBytes);
}

/** The first and the last key that `compoundKeyOf` can give for an identifier. */
export function compoundKeysOf(tenant: string, sourceId: string, shown: string): { first: Buffer; last: Buffer } {
  const lead = leadOf(tenant, sourceId, shown);
  const rest = keyBytes - leadBytes;
  return { first: Buffer.concat([lead, Buffer.alloc(rest)]), last: Buffer.concat([lead, Buffer.alloc(rest, 0xff)]) };
}

const leadOf = (tenant: string, sourceId: string, shown: string): Buffer =>
  digestOf([tenant, sourceId, 'shown', shown]).subarray(0, leadBytes);

function digestOf(parts: readonly (string | Buffer)[]): Buffer {
  // In one piece: each call into the library costs as much as the hash.
  const pieces = parts.flatMap((part) => [`${Buffer.byteLength(part)}:`, part]);
  return hash('sha256', pieces.every(isText) ? pieces.join('') : Buffer.concat(pieces.map(bytesOf)), 'buffer');
}

const isText = (piece: string | Buffer): piece is string => typeof piece === 'string';
const bytesOf = (piece: string | Buffer): Buffer => (isText(piece) ? Buffer.from(piece) : piece);

/** A text stands for its bytes in UTF-8. */
function taggedBytes(identifier: Identifier): [tag: string, bytes: Buffer | string] {
  switch (identifier.kind) {
    case 'text':
      // UTF-8 has no lone surrogates: each would become the same U+FFFD. Such a text goes in by its code units.
      return identifier.text.isWellFormed()
        ? ['text', identifier.text]
        : ['utf16', Buffer.from(identifier.text, 'utf16le')];
    case 'number':
      return ['number', identifier.source];
    case 'body':
      return ['body', identifier.sha256];
    case 'receipt':
      return ['receipt', identifier.id];
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
