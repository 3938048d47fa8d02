const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;
const shift = 24;

/** MurmurHash2 (Austin Appleby) with the seed and the little-endian reading of Kafka's Java client; a signed 32-bit number. */
export function murmur2(data: Buffer): number {
  const { length } = data;
  let hash = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word = Math.imul(data.readInt32LE(at), multiplier);
    word = Math.imul(word ^ (word >>> shift), multiplier);
    hash = Math.imul(hash, multiplier) ^ word;
  }
  if (at < length) {
    hash ^= data.readUIntLE(at, length - at);
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
