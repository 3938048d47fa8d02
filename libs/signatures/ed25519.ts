import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { RandomBytes } from '#lib/runtime';
import { decodeExactly } from './secret.ts';

const publicPrefix = 'whpk_';
const privatePrefix = 'whsk_';

// The bytes before the 32 of an Ed25519 key in its DER form (RFC 8410).
const spki = Buffer.from('302a300506032b6570032100', 'hex');
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const isPublicKey = (secret: string): boolean => secret.startsWith(publicPrefix);
export const isPrivateKey = (secret: string): boolean => secret.startsWith(privatePrefix);

/** Reads `whpk_<base64 of 32 bytes>`. */
export function readPublicKey(secret: string): KeyObject | undefined {
  const bytes = isPublicKey(secret) ? decodeExactly(secret.slice(publicPrefix.length), 'base64') : undefined;
  if (bytes?.length !== 32) return undefined;
  return createPublicKey({ key: Buffer.concat([spki, bytes]), format: 'der', type: 'spki' });
}

/** Reads `whsk_<base64>`: the 32 bytes of the seed, with or without the public key's 32 after them. */
export function readPrivateKey(secret: string): KeyObject | undefined {
  const bytes = isPrivateKey(secret) ? decodeExactly(secret.slice(privatePrefix.length), 'base64') : undefined;
  if (bytes?.length !== 32 && bytes?.length !== 64) return undefined;
  return privateKeyOf(bytes.subarray(0, 32));
}

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });

/** `whsk_` and the base64 of a seed of 32 random bytes followed by the public key's 32, the form that other libraries use too. */
export function generatePrivateKey(random: RandomBytes): string {
  const seed = random(32);
  return privatePrefix + Buffer.concat([seed, publicBytes(privateKeyOf(seed))]).toString('base64');
}

/** `whpk_…` of `whsk_…`; undefined for an invalid key. */
export function publicKeyOf(privateKey: string): string | undefined {
  const key = readPrivateKey(privateKey);
  return key && publicPrefix + publicBytes(key).toString('base64');
}

const publicBytes = (privateKey: KeyObject): Buffer =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(spki.length);

export const signEd25519 = (key: KeyObject, message: Uint8Array): Buffer => sign(null, message, key);
export const verifyEd25519 = (key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(null, message, key, signature);
