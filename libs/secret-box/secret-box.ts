/**
 * Secrets at rest: AES-256-GCM (NIST SP 800-38D) under a key from the environment. A sealed value is
 *
 *   id length (1) · key id · nonce (12) · ciphertext · tag (16)
 *
 * so that keys rotate: a new first key seals from then on, old ones open for as long as they are listed. The context (which row the
 * value belongs to) is authenticated: a value copied into another row does not open.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { AppError, randomPool } from '#lib/runtime';

const nonceBytes = 12;
const tagBytes = 16;

export interface SecretBox {
  seal(plaintext: string | Buffer, context: string): Buffer;
  /** @throws AppError data_invalid if the key is not configured, or the value was not encrypted for this context */
  open(sealed: Buffer, context: string): string;
  /** The same for bytes. */
  openBytes(sealed: Buffer, context: string): Buffer;
  /** Whether it is encrypted with the current key; false if it still needs another configured key. */
  isCurrent(sealed: Buffer): boolean;
}

export interface EncryptionKey {
  id: string;
  key: Buffer;
}

/** @throws AppError config_invalid for anything but `id:base64 of 32 bytes`, each id once; the message never holds key material */
export function parseEncryptionKeys(texts: readonly string[]): EncryptionKey[] {
  const keys = texts.map((text, index) => {
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
    if (id === undefined || encoded === undefined) {
      throw new AppError(
        'config_invalid',
        `HOOKLINE_ENCRYPTION_KEYS: key ${index + 1} is not \`id:base64 of 32 bytes\``,
      );
    }
    return { id, key: Buffer.from(encoded, 'base64') };
  });
  const twice = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index);
  // Values sealed by the second key could not be opened any more.
  if (twice !== undefined)
    throw new AppError('config_invalid', `HOOKLINE_ENCRYPTION_KEYS: two keys have the id ${twice.id}`);
  return keys;
}

export function createSecretBox(given: readonly EncryptionKey[]): SecretBox {
  // A cipher that is given a key as bytes takes five times as long (Node 24).
  const keys = given.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  const [active] = keys;
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const keyIdOf = (sealed: Buffer): string => sealed.toString('latin1', 1, 1 + (sealed[0] ?? 0));
  const box: SecretBox = {
    isCurrent: (sealed) => keyIdOf(sealed) === active.id,
    seal(plaintext, context) {
      const nonce = randomPool(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', active.key, nonce).setAAD(Buffer.from(context));
      const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
      const ciphertext = Buffer.concat([cipher.update(bytes), cipher.final()]);
      return Buffer.concat([
        Buffer.from([active.id.length]),
        Buffer.from(active.id),
        nonce,
        ciphertext,
        cipher.getAuthTag(),
      ]);
    },
    open: (sealed, context) => box.openBytes(sealed, context).toString(),
    openBytes(sealed, context) {
      const idEnd = 1 + (sealed[0] ?? 0);
      const id = keyIdOf(sealed);
      const known = keys.find((candidate) => candidate.id === id);
      if (known === undefined || sealed.length < idEnd + nonceBytes + tagBytes) {
        throw new AppError(
          'data_invalid',
          `sealed under key ${JSON.stringify(id)}, which HOOKLINE_ENCRYPTION_KEYS does not list`,
        );
      }
      const decipher = createDecipheriv('aes-256-gcm', known.key, sealed.subarray(idEnd, idEnd + nonceBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(idEnd + nonceBytes, -tagBytes)), decipher.final()]);
      } catch (error) {
        throw new AppError(
          'data_invalid',
          `sealed value does not open under key ${id}: it was changed, or belongs elsewhere`,
          { cause: error },
        );
      }
    },
  };
  return box;
}
