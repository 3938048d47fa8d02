import { randomBytes } from 'node:crypto';
import type { RandomBytes } from './ids.ts';

const poolBytes = 8_192;

/**
 * The same random bytes by fewer calls: one costs about 2 µs, however few bytes it is for, and a webhook needs three. A used-up pool
 * is dropped, not filled again, so what was handed out stays as it is.
 */
export function createRandomPool(source: RandomBytes = randomBytes): RandomBytes {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return (size) => {
    if (used + size > pool.length) {
      pool = source(Math.max(poolBytes, size));
      used = 0;
    }
    used += size;
    return pool.subarray(used - size, used);
  };
}

/** The process's own. */
export const randomPool = createRandomPool();
