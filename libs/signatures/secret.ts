import { randomBytes } from 'node:crypto';
import type { RandomBytes } from '#lib/runtime';

const prefix = 'whsec_';

/** A secret for both kinds of signature of our own: `whsec_` and the base64 of 32 random bytes. */
export function generateSecret(random: RandomBytes = randomBytes): string {
  return prefix + random(32).toString('base64');
}

/** False for a secret that a stranger could guess: empty, blank, or nothing after `whsec_`. */
export function isUsableSecret(secret: string): boolean {
  return secret.replace(prefix, '').trim() !== '';
}

/**
 * The key that the Standard Webhooks libraries derive from a secret: the base64 after the prefix, if there is one. A user's own secret that
 * is not base64 is used as bytes (their `raw` format): lenient decoding could give an empty key.
 */
export function standardWebhooksKey(secret: string): Buffer {
  return base64Key(secret) ?? Buffer.from(secret);
}

export function base64Key(secret: string): Buffer | undefined {
  const key = decodeExactly(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret, 'base64');
  return key?.length === 0 ? undefined : key;
}

/**
 * The bytes of a text, or undefined if it is not exactly their encoding: Node's decoder skips unknown characters and stops early, so that
 * many texts would be the same signature. Hex is lower-case; base64 is padded, base64url is not.
 */
export function decodeExactly(text: string, encoding: 'hex' | 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
