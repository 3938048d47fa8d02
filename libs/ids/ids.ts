import { createHash, randomBytes } from 'node:crypto';

/** rcp receipt · evt event · src source · ep endpoint · dlv delivery · key API key · dl dead letter · rpl replay */
export type IdPrefix = 'rcp' | 'evt' | 'src' | 'ep' | 'dlv' | 'key' | 'dl' | 'rpl';

export type RandomBytes = (size: number) => Buffer;

// Crockford's base 32 in lower case: no letters that are mistaken for digits.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * `evt_` and 26 characters: 48 bits of milliseconds, then 80 random bits (the layout of a ULID), so that ids sort by their time and
 * new rows land at the end of an index.
 */
export function createId(prefix: IdPrefix, nowMs: number, random: RandomBytes = randomBytes): string {
  return `${prefix}_${encode(nowMs, random(10))}`;
}

/**
 * The same shape, but a function of its parts: whoever computes it again, after any crash, gets the same id. The parts are joined
 * with a length before each, so that no two lists of parts give one text.
 */
export function derivedId(prefix: IdPrefix, atMs: number, parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return `${prefix}_${encode(atMs, hash.digest())}`;
}

function encode(ms: number, tail: Buffer): string {
  let text = '';
  for (let shift = 45; shift >= 0; shift -= 5) text += alphabet[Math.floor(ms / 2 ** shift) % 32];
  // 80 bits as two groups of 40: each exact in a double.
  for (const group of [tail.readUIntBE(0, 5), tail.readUIntBE(5, 5)]) {
    for (let shift = 35; shift >= 0; shift -= 5) text += alphabet[Math.floor(group / 2 ** shift) % 32];
  }
  return text;
}
