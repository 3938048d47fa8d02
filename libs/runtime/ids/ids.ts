import { hash } from 'node:crypto';
import { randomPool } from './random-pool.ts';

/**
 * rcp receipt · evt event · src source · ep endpoint · dlv delivery · key API key · dl dead letter · rpl replay · rej rejection · req request
 * to the API · aud audit entry · ses session · ers erasure · typ event type · etc its change ·
 * lnk portal link
 */
export type IdPrefix =
  | 'rcp'
  | 'evt'
  | 'src'
  | 'ep'
  | 'dlv'
  | 'key'
  | 'dl'
  | 'rpl'
  | 'rej'
  | 'req'
  | 'aud'
  | 'ses'
  | 'ers'
  | 'typ'
  | 'etc'
  | 'lnk';

export type RandomBytes = (size: number) => Buffer;

// Crockford's base 32 in lower case: no letters that are mistaken for digits.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** Ten bits as two characters. */
const pairs = Array.from({ length: 1_024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`);

/**
 * `evt_` and 26 characters: 48 bits of milliseconds, then 80 random bits (the layout of a ULID), so that ids sort by their time and
 * new rows land at the end of an index.
 */
export function createId(prefix: IdPrefix, nowMs: number, random: RandomBytes = randomPool): string {
  return `${prefix}_${encode(nowMs, random(10))}`;
}

/**
 * The same format, but a function of its parts: computing it again after a crash gives the same id. Each part is prefixed by its length, so
 * different lists of parts never give the same text.
 */
export function derivedId(prefix: IdPrefix, atMs: number, parts: readonly string[]): string {
  // In one text: each call into the library costs as much as the hash.
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  return `${prefix}_${encode(atMs, hash('sha256', text, 'buffer'))}`;
}

/** The milliseconds in one of our ids; undefined for other texts, or if the time can't be written in microseconds. */
export function timeOfId(id: string): number | undefined {
  const [, digits] = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/.exec(id) ?? [];
  if (digits === undefined) return undefined;
  let ms = 0;
  for (const digit of digits) ms = ms * 32 + alphabet.indexOf(digit);
  return Number.isSafeInteger(ms * 1000) ? ms : undefined;
}

/**
 * The ids of a range of times lie between these two.
 *
 * @param times `untilMs` itself is not in the range
 */
export function idRange(
  prefix: IdPrefix,
  { sinceMs, untilMs }: { sinceMs?: number; untilMs?: number },
): { above: string | undefined; below: string | undefined } {
  // A millisecond that a bound lies within has ids on both sides of it: all of them are within the range.
  const firstMs = Math.floor(sinceMs ?? 0);
  return {
    above: firstMs > 0 ? createId(prefix, firstMs - 1, (size) => Buffer.alloc(size, 0xff)) : undefined,
    below: untilMs === undefined ? undefined : createId(prefix, Math.ceil(untilMs), (size) => Buffer.alloc(size)),
  };
}

/** The last two characters of an id, ten of its random bits, as a number from 0 to 1023. */
export const idEndToNumber = (end: string): number =>
  alphabet.indexOf(end[0] ?? '') * 32 + alphabet.indexOf(end[1] ?? '');

export const numberToIdEnd = (number: number): string => pairs[number] ?? '';

function encode(ms: number, tail: Buffer): string {
  let text = '';
  for (let shift = 40; shift >= 0; shift -= 10) text += pairs[Math.floor(ms / 2 ** shift) % 1_024];
  // 80 bits as two groups of 40: each exact in a double.
  for (const group of [tail.readUIntBE(0, 5), tail.readUIntBE(5, 5)]) {
    for (let shift = 30; shift >= 0; shift -= 10) text += pairs[Math.floor(group / 2 ** shift) % 1_024];
  }
  return text;
}
