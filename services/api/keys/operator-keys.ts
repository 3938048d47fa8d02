import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from '#lib/secret-box';
import { credentialHash } from './key-text.ts';

/** Stands for every key of the operator, in logs, idempotency scopes and audit entries. */
export const operatorCredential = 'admin';

export interface OperatorKey {
  /** The setting that lists it. */
  setting: 'HOOKLINE_ADMIN_KEY' | 'HOOKLINE_ADMIN_KEYS';
  /** Tells the key from others, and is of no use for guessing it: an HMAC under the encryption keys. */
  fingerprint: string;
}

/** The keys of the operator: more than one while they are changed. */
export interface OperatorKeys {
  /** The key that is this text. Takes the same time for any text. */
  find(text: string): OperatorKey | undefined;
  /** The fingerprints of the keys that are accepted: one under each encryption key. */
  fingerprints: readonly string[];
}

export function createOperatorKeys(
  { adminKey, adminKeys }: { adminKey: string; adminKeys: readonly string[] },
  encryptionKeys: readonly EncryptionKey[],
): OperatorKeys {
  const fingerprintsOf = (text: string): string[] =>
    encryptionKeys.map(({ id, key }) => {
      const secret = Buffer.from(hkdfSync('sha256', key, '', 'hookline operator key', 32));
      return `${id}:${createHmac('sha256', secret).update(text).digest('base64url')}`;
    });
  const keyOf = (setting: OperatorKey['setting'], text: string) => ({
    hash: credentialHash(text),
    setting,
    fingerprints: fingerprintsOf(text),
  });
  const keys = [keyOf('HOOKLINE_ADMIN_KEY', adminKey), ...adminKeys.map((text) => keyOf('HOOKLINE_ADMIN_KEYS', text))];
  return {
    find(text) {
      const given = credentialHash(text);
      // All of them are compared, whichever it is; the digests have one length.
      const [found] = keys.filter(({ hash }) => timingSafeEqual(given, hash));
      return found && { setting: found.setting, fingerprint: found.fingerprints[0] ?? '' };
    },
    fingerprints: keys.flatMap(({ fingerprints }) => fingerprints),
  };
}
