import type { Redis } from '#lib/redis';
import { bodyHashLength } from './dedup-key.ts';
import type { CompletedKey, KeyMemory } from './ports.ts';

/**
 * Key: the deployment's prefix (two deployments may share a server, and one may be a copy of the other), `d:`, and the dedup key's 16
 * bytes, which have the tenant hashed in. Value: 6 bytes of milliseconds of expiry, 8 of the body's hash, and the event id: 44 bytes,
 * what Redis keeps in one allocation with its header. It expires by itself, with the row (72 hours by
 * default), and says until when it holds for servers whose clock is slow. Written by `SET NX`: a row is copied once, by whoever is first.
 */
export function createRedisKeyMemory(redis: Pick<Redis, 'getMany' | 'setIfFree'>, prefix: string): KeyMemory {
  const keyPrefix = Buffer.from(`${prefix}d:`);
  const redisKey = (key: Buffer): Buffer => Buffer.concat([keyPrefix, key]);
  return {
    async recall(keys) {
      const values = await redis.getMany(keys.map(redisKey));
      return keys.map((key, index) => {
        const value = values[index];
        return value && parseValue(key, value);
      });
    },
    async remember(completed) {
      const entries = completed.map((row) => {
        // Rounded down: in doubt, the table is asked.
        const expiresAtMs = Math.floor(row.expiresAt / 1000);
        return { key: redisKey(row.key), value: formatValue(row, expiresAtMs), expiresAtMs };
      });
      await redis.setIfFree(entries);
    },
  };
}

const expiryLength = 6;
const headLength = expiryLength + bodyHashLength;

function formatValue({ eventId, bodyHash }: CompletedKey, expiresAtMs: number): Buffer {
  const value = Buffer.alloc(headLength + eventId.length);
  value.writeUIntBE(expiresAtMs, 0, expiryLength);
  bodyHash.copy(value, expiryLength);
  value.write(eventId, headLength, 'latin1');
  return value;
}

function parseValue(key: Buffer, value: Buffer): CompletedKey {
  return {
    key,
    eventId: value.toString('latin1', headLength),
    bodyHash: value.subarray(expiryLength, headLength),
    expiresAt: value.readUIntBE(0, expiryLength) * 1000,
  };
}
