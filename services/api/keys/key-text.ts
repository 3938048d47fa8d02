import { hash } from 'node:crypto';
import type { RandomBytes } from '#lib/ids';

/**
 * A key is `hk_<id>_<secret>`: the id, without its `key_`, finds the row to compare with, so no query searches for a secret; the prefix and
 * the fixed lengths let scanners find published keys.
 */
const keyText = /^hk_([0-9a-hjkmnp-tv-z]{26})_[0-9a-f]{64}$/;

const secretBytes = 32;

export function newKeyText(id: string, random: RandomBytes): string {
  return `hk_${id.replace(/^key_/, '')}_${random(secretBytes).toString('hex')}`;
}

/** The id in a key; undefined if the text can't be a key. */
export function keyIdOf(text: string): string | undefined {
  const [, id] = keyText.exec(text) ?? [];
  return id === undefined ? undefined : `key_${id}`;
}

/**
 * The stored hash of a key. One round of SHA-256 is enough: slow hashes protect secrets that can be guessed, and nobody guesses 256 random
 * bits.
 */
export const keyHash = (text: string): Buffer => hash('sha256', text, 'buffer');
