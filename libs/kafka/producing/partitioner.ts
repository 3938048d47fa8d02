import { murmur2 } from './murmur2.ts';

/** The partition of a key among `count`, exactly as Kafka's Java client chooses it: other programs must find a key where we put it. */
export function partitionOf(key: Buffer | string, count: number): number {
  return (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % count;
}
