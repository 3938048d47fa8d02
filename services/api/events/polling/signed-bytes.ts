import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { AppError } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';

/** Bytes as text for a URL: no client makes one up, or takes one to another tenant. */
export interface SignedBytes {
  write(tenant: string, bytes: Buffer): string;
  /** The same again; undefined for anything but what was written for this tenant. */
  read(tenant: string, text: string): Buffer | undefined;
}

const macBytes = 16;

/**
 * The bytes, then the first half of an HMAC-SHA-256 over them and the tenant. The key is derived from each encryption key that is listed: a
 * text holds as long as the one that it was made under.
 *
 * @param purpose texts of another are not read
 */
export function createSignedBytes(encryptionKeys: readonly EncryptionKey[], purpose: string): SignedBytes {
  const [active, ...older] = encryptionKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const macOf = (key: Buffer, bytes: Buffer, tenant: string): Buffer =>
    createHmac('sha256', key).update(bytes).update(tenant).digest().subarray(0, macBytes);

  return {
    write: (tenant, bytes) => Buffer.concat([bytes, macOf(active, bytes, tenant)]).toString('base64url'),
    read(tenant, text) {
      const signed = Buffer.from(text, 'base64url');
      // There is one way to write each: Buffer takes other characters, too, and leaves out bits that are too many.
      if (signed.length < macBytes || signed.toString('base64url') !== text) return undefined;
      const bytes = signed.subarray(0, -macBytes);
      const mac = signed.subarray(-macBytes);
      return [active, ...older].some((key) => timingSafeEqual(macOf(key, bytes, tenant), mac)) ? bytes : undefined;
    },
  };
}
