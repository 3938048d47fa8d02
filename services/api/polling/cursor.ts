/**
 * `Hookline-Cursor`: how far a client has read a tenant's events, and nothing else, so that the filters beside it may change. As text
 * for a URL, of 24 bytes:
 *
 *   form (1) · the first microsecond that was not read (7) · HMAC-SHA-256 over these and the tenant, its first half (16)
 *
 * No client makes one up or takes one to another tenant. The key is derived from each encryption key that is listed: a cursor holds as
 * long as the one that it was made under.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { AppError } from '#lib/errors';
import type { EncryptionKey } from '#lib/secret-box';

export interface Cursors {
  /** @param from microseconds since the epoch */
  write(tenant: string, from: number): string;
  /** The same again; undefined for anything but what was written for this tenant. */
  read(tenant: string, cursor: string): number | undefined;
}

const form = 1;
const positionBytes = 7;
const macBytes = 16;

export function createCursors(encryptionKeys: readonly EncryptionKey[]): Cursors {
  const [active, ...older] = encryptionKeys.map(({ key }) =>
    Buffer.from(hkdfSync('sha256', key, '', 'hookline cursor', 32)),
  );
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const macOf = (key: Buffer, position: Buffer, tenant: string): Buffer =>
    createHmac('sha256', key).update(position).update(tenant).digest().subarray(0, macBytes);

  return {
    write(tenant, from) {
      const position = Buffer.from([form, ...new Uint8Array(positionBytes)]);
      // The upper byte by itself: Buffer writes 6 bytes at the most.
      position[1] = Math.floor(from / 2 ** 48);
      position.writeUIntBE(from % 2 ** 48, 2, 6);
      return Buffer.concat([position, macOf(active, position, tenant)]).toString('base64url');
    },
    read(tenant, cursor) {
      // 32 characters hold 24 bytes and no bit more: there is one way to write each.
      if (!/^[A-Za-z0-9_-]{32}$/.test(cursor)) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      const position = bytes.subarray(0, 1 + positionBytes);
      const mac = bytes.subarray(1 + positionBytes);
      const isOurs = [active, ...older].some((key) => timingSafeEqual(macOf(key, position, tenant), mac));
      return isOurs && position[0] === form ? (position[1] ?? 0) * 2 ** 48 + position.readUIntBE(2, 6) : undefined;
    },
  };
}
