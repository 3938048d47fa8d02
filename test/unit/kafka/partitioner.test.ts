import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { partitionOf } from '#lib/kafka';

const reference = Partitioners.DefaultPartitioner();
const referenceOf = (key: Buffer, count: number): number =>
  reference({
    topic: 't',
    partitionMetadata: Array.from({ length: count }, (_, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 1,
      replicas: [1],
      isr: [1],
    })),
    message: { key, value: null },
  });

test('a key’s partition is the one that kafkajs’s default partitioner gives it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 100 }), (bytes, count) => {
      expect(partitionOf(Buffer.from(bytes), count)).toBe(referenceOf(Buffer.from(bytes), count));
    }),
    { numRuns: 2_000 },
  );
});

test('a key’s partition is the one that Kafka’s Java client gives it', () => {
  // From Kafka's own UtilsTest: murmur2 of each text, made positive.
  const hashes = { '21': -973932308, foobar: -790332482, 'a-little-bit-long-string': -985981536 };
  for (const [key, hash] of Object.entries(hashes)) expect(partitionOf(key, 1_000)).toBe((hash & 0x7fffffff) % 1_000);
});

test('a key as text and as its UTF-8 bytes is the same key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => partitionOf(key, 48) === partitionOf(Buffer.from(key), 48)),
  );
});
