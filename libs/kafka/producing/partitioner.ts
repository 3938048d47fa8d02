import { murmur2 } from './murmur2.ts';

/** The partition of a key among `count`, exactly as in Kafka's Java client, so that other programs find a key's partition. */
export function partitionOf(key: Buffer | string, count: number): number {
  return (murmur2(typeof key === 'string' ? Buffer.from(key) : key) & 0x7fffffff) % count;
}
