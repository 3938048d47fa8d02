/**
 * `as_of`: the instant of a dry run, for the erasure that it was to show. As text, of 24 bytes as a cursor (polling/cursor.ts):
 *
 *   form (1) · microseconds (7) · HMAC-SHA-256 over these, the tenant and the filter, its first half (16)
 *
 * No client makes one up, or takes one to another tenant or filter.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from '#lib/secret-box';
import type { ErasureFilter } from './choose-events.ts';

export interface AsOf {
  /** @param at microseconds since the epoch */
  write(tenant: string, filter: ErasureFilter, at: number): string;
  /** The instant; undefined for anything but what was written for this tenant and filter. */
  read(tenant: string, filter: ErasureFilter, asOf: string): number | undefined;
}

const form = 1;
const instantBytes = 8;
const macBytes = 16;

export function createAsOf(encryptionKeys: readonly EncryptionKey[]): AsOf {
  const keys = encryptionKeys.map(({ key }) => Buffer.from(hkdfSync('sha256', key, '', 'hookline erasure', 32)));
  const macOf = (key: Buffer, instant: Buffer, tenant: string, filter: ErasureFilter): Buffer => {
    const sorted = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
    const bound = JSON.stringify([tenant, sorted]);
    return createHmac('sha256', key).update(instant).update(bound).digest().subarray(0, macBytes);
  };
  return {
    write(tenant, filter, at) {
      const instant = Buffer.alloc(instantBytes);
      instant.writeBigUInt64BE(BigInt(at));
      instant[0] = form;
      const [active = Buffer.alloc(0)] = keys;
      return Buffer.concat([instant, macOf(active, instant, tenant, filter)]).toString('base64url');
    },
    read(tenant, filter, asOf) {
      // 32 characters hold 24 bytes and no bit more: there is one way to write each.
      if (!/^[A-Za-z0-9_-]{32}$/.test(asOf)) return undefined;
      const bytes = Buffer.from(asOf, 'base64url');
      const instant = bytes.subarray(0, instantBytes);
      const mac = bytes.subarray(instantBytes);
      const isOurs = keys.some((key) => timingSafeEqual(macOf(key, instant, tenant, filter), mac));
      if (!isOurs || instant[0] !== form) return undefined;
      return Number(BigInt.asUintN(56, instant.readBigUInt64BE()));
    },
  };
}
