/**
 * `as_of`: that this caller's dry run has counted, when, and how many. It starts what was counted and nothing else: it is bound to the tenant,
 * the operation and the whole request. Written as base64url, it has 40 characters, and these 30 bytes:
 *
 *   form (1) · the instant in microseconds (7) · the count (6) · HMAC-SHA-256 over these, tenant, operation and request, its first half (16)
 *
 * The key is derived from each encryption key that is listed: an as_of holds as long as the one that it was made under.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { AppError } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';

/** All that it is bound to. */
export interface CountedRequest {
  tenant: string;
  operation: string;
  /** As it is read, so that it does not matter how it is written. Members in any order; absent ones are left out. */
  request: Readonly<Record<string, unknown>>;
}

interface Counted {
  /** Microseconds since the epoch. */
  at: number;
  count: number;
}

export interface AsOfTokens {
  write(request: CountedRequest, counted: Counted): string;
  /** The same again; undefined for anything but what was written for this request. */
  read(request: CountedRequest, token: string): Counted | undefined;
}

const form = 1;
const countedBytes = 1 + 7 + 6;
const macBytes = 16;

export function createAsOfTokens(encryptionKeys: readonly EncryptionKey[]): AsOfTokens {
  const [active, ...older] = encryptionKeys.map(({ key }) =>
    Buffer.from(hkdfSync('sha256', key, '', 'hookline as_of', 32)),
  );
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const macOf = (key: Buffer, counted: Buffer, { tenant, operation, request }: CountedRequest): Buffer =>
    createHmac('sha256', key)
      .update(counted)
      .update(JSON.stringify([tenant, operation, inOrder(request)]))
      .digest()
      .subarray(0, macBytes);

  return {
    write(request, { at, count }) {
      const counted = Buffer.alloc(countedBytes);
      counted[0] = form;
      // The upper byte by itself: Buffer writes 6 bytes at the most.
      counted[1] = Math.floor(at / 2 ** 48);
      counted.writeUIntBE(at % 2 ** 48, 2, 6);
      counted.writeUIntBE(count, 8, 6);
      return Buffer.concat([counted, macOf(active, counted, request)]).toString('base64url');
    },
    read(request, token) {
      // 40 characters hold 30 bytes and no bit more: there is one way to write each.
      if (!/^[A-Za-z0-9_-]{40}$/.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      const counted = bytes.subarray(0, countedBytes);
      const mac = bytes.subarray(countedBytes);
      const isOurs = [active, ...older].some((key) => timingSafeEqual(macOf(key, counted, request), mac));
      if (!isOurs || counted[0] !== form) return undefined;
      return { at: (counted[1] ?? 0) * 2 ** 48 + counted.readUIntBE(2, 6), count: counted.readUIntBE(8, 6) };
    },
  };
}

/** The same text for the same members, however they came. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, inOrder(member)]);
}
