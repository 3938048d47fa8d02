import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { AppError } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';

/**
 * `Hookline-Cursor`: how far a client has read a tenant's events, and nothing else, so that the filters beside it may change:
 *
 *   form (1) · the first microsecond that was not read (7)
 *
 * `page`: a place in the list of the newest events, by the same rule, and the cursor of the snapshot that the client began with:
 *
 *   side (1) · that cursor's microsecond (7) · the id of an event, which the page does not have any more
 */

export interface Cursors {
  /** @param from microseconds since the epoch */
  write(tenant: string, from: number): string;
  /** The same again; undefined for anything but what was written for this tenant. */
  read(tenant: string, cursor: string): number | undefined;
  writePlace(tenant: string, place: Place): string;
  readPlace(tenant: string, page: string): Place | undefined;
}

export interface Place {
  /** On which side of the event. */
  side: 'older' | 'newer';
  eventId: string;
  /** Microseconds since the epoch. */
  from: number;
}

const form = 1;
const sides: Readonly<Record<Place['side'], number>> = { older: 1, newer: 2 };
const positionBytes = 7;

export function createCursors(encryptionKeys: readonly EncryptionKey[]): Cursors {
  const cursors = createSignedBytes(encryptionKeys, 'hookline cursor');
  const places = createSignedBytes(encryptionKeys, 'hookline page');
  return {
    write: (tenant, from) => cursors.write(tenant, withPosition(form, from)),
    read(tenant, cursor) {
      const bytes = cursors.read(tenant, cursor);
      return bytes?.length === 1 + positionBytes && bytes[0] === form ? positionIn(bytes) : undefined;
    },
    writePlace: (tenant, { side, eventId, from }) =>
      places.write(tenant, Buffer.concat([withPosition(sides[side], from), Buffer.from(eventId)])),
    readPlace(tenant, page) {
      const bytes = places.read(tenant, page);
      if (bytes === undefined) return undefined;
      const side = bytes[0] === sides.older ? 'older' : 'newer';
      return { side, eventId: bytes.toString('utf8', 1 + positionBytes), from: positionIn(bytes) };
    },
  };
}

function withPosition(first: number, from: number): Buffer {
  const bytes = Buffer.from([first, ...new Uint8Array(positionBytes)]);
  // The upper byte by itself: Buffer writes 6 bytes at the most.
  bytes[1] = Math.floor(from / 2 ** 48);
  bytes.writeUIntBE(from % 2 ** 48, 2, 6);
  return bytes;
}

const positionIn = (bytes: Buffer): number => (bytes[1] ?? 0) * 2 ** 48 + bytes.readUIntBE(2, 6);

const macBytes = 16;

/**
 * Bytes as text for a URL: no client makes one up, or takes one to another tenant.
 *
 * The bytes, then the first half of an HMAC-SHA-256 over them and the tenant. The key is derived from each encryption key that is listed: a
 * text holds as long as the one that it was made under.
 *
 * @param purpose texts of another are not read
 */
function createSignedBytes(encryptionKeys: readonly EncryptionKey[], purpose: string) {
  const [active, ...older] = encryptionKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32)));
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const macOf = (key: Buffer, bytes: Buffer, tenant: string): Buffer =>
    createHmac('sha256', key).update(bytes).update(tenant).digest().subarray(0, macBytes);

  return {
    write: (tenant: string, bytes: Buffer) =>
      Buffer.concat([bytes, macOf(active, bytes, tenant)]).toString('base64url'),
    /** The same again; undefined for anything but what was written for this tenant. */
    read(tenant: string, text: string): Buffer | undefined {
      const signed = Buffer.from(text, 'base64url');
      // There is one way to write each: Buffer takes other characters, too, and leaves out bits that are too many.
      if (signed.length < macBytes || signed.toString('base64url') !== text) return undefined;
      const bytes = signed.subarray(0, -macBytes);
      const mac = signed.subarray(-macBytes);
      return [active, ...older].some((key) => timingSafeEqual(macOf(key, bytes, tenant), mac)) ? bytes : undefined;
    },
  };
}
