import { hash } from 'node:crypto';
import type { Redis } from '#lib/redis';
import { idEndToNumber, numberToIdEnd } from '#lib/runtime';
import { bodyTagOf, eventIdEndOf } from './holder.ts';
import type { KeyMemory } from './ports.ts';

/**
 * A key costs Redis about 100 bytes: 64 for the entries of its two tables and 16 to 32 for their slots. So the stored part of a row must
 * fit into these:
 *
 *   key     `d` and 13 bytes: 14 with their header are one allocation of 16; one byte more is 32
 *   value   the body's tag: the whole numbers below 10,000 are objects that all keys share
 *   expiry  spans of 1,024 ms: the span says how long the row is valid, the position within it is the end of the event's id
 *
 * The 13 bytes are the front of the dedup key XOR the front of the prefix's hash: two deployments may share a server, and one may be a copy
 * of the other. They are 104 bits of a SHA-256: two of 2.6 · 10^9 keys (72 hours at 10,000 a second) collide with a probability of 2 ·
 * 10^-13.
 *
 * The expiry, one number, has everything that decides about a duplicate. It is rounded down by one to two spans: Redis forgets before the
 * row expires, and a server with a slow clock is not trusted longer than that. `SET NX` writes it, so a row is copied once, by the first
 * writer.
 */
export function createRedisKeyMemory(redis: Pick<Redis, 'getMany' | 'setIfFree'>, prefix: string): KeyMemory {
  const mask = hash('sha256', prefix, 'buffer');
  const redisKey = (key: Buffer): Buffer => {
    const name = Buffer.allocUnsafe(keyLength);
    name[0] = keyMark;
    for (let at = 1; at < keyLength; at += 1) name[at] = (key[at - 1] as number) ^ (mask[at - 1] as number);
    return name;
  };
  return {
    async recall(keys) {
      const found = await redis.getMany(keys.map(redisKey));
      return found.map((entry) => {
        if (entry === undefined) return undefined;
        const end = entry.expiresAtMs % spanMs;
        const bodyTag = Number(entry.value.toString('latin1'));
        return {
          holder: { eventId: null, eventIdEnd: numberToIdEnd(end), bodyTag },
          expiresAt: (entry.expiresAtMs - end) * 1000,
        };
      });
    },
    async remember(completed) {
      const entries = completed.map(({ key, eventId, bodyHash, expiresAt }) => {
        const span = Math.floor(expiresAt / 1000 / spanMs) - 1;
        return {
          key: redisKey(key),
          value: Buffer.from(String(bodyTagOf(bodyHash))),
          expiresAtMs: span * spanMs + idEndToNumber(eventIdEndOf(eventId)),
        };
      });
      await redis.setIfFree(entries);
    },
  };
}

const keyMark = 'd'.charCodeAt(0);
const keyLength = 14;
/** As many milliseconds as there are id endings. */
const spanMs = 1024;
