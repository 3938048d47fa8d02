import { ByteReader } from './wire-types.ts';

/**
 * The headers of a record's body, in their order.
 *
 * @param at where they begin: after key and value
 * @param take reads the value, of so many bytes; -1 means null
 */
export function eachHeader(
  body: Buffer,
  at: number,
  take: (name: string, reader: ByteReader, length: number) => void,
): void {
  const reader = new ByteReader(body, at);
  for (let left = reader.varint(); left > 0; left -= 1) {
    const name = readName(reader, reader.varint());
    take(name, reader, reader.varint());
  }
}

interface KnownName {
  bytes: Buffer;
  text: string;
}

/**
 * Our names are few, and the same in every record: they are not decoded anew, which takes longer than the value. The first to have a place keeps
 * it, so that producers of other names cost no more than memory for a table of this size.
 */
const knownNames: (KnownName | undefined)[] = Array.from({ length: 512 }, () => undefined);
const longestKnown = 64;

function readName(reader: ByteReader, length: number): string {
  if (length <= 0 || length > longestKnown) return reader.text(length);
  const { bytes, at } = reader;
  const place = placeOf(bytes, at, length);
  const known = knownNames[place];
  if (known !== undefined && isAt(bytes, at, length, known.bytes)) {
    reader.at += length;
    return known.text;
  }
  const text = reader.text(length);
  if (known === undefined) knownNames[place] = { bytes: Buffer.from(bytes.subarray(at, at + length)), text };
  return text;
}

function placeOf(bytes: Buffer, at: number, length: number): number {
  let hash = length;
  for (let index = at; index < at + length; index += 1) hash = (Math.imul(hash, 31) + (bytes[index] ?? 0)) | 0;
  return (hash ^ (hash >>> 9)) & (knownNames.length - 1);
}

function isAt(bytes: Buffer, at: number, length: number, name: Buffer): boolean {
  if (name.length !== length) return false;
  for (let index = 0; index < length; index += 1) if (bytes[at + index] !== name[index]) return false;
  return true;
}
