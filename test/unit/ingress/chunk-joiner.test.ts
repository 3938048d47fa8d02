import fc from 'fast-check';
import { createChunkJoiner } from '../../../services/ingress/receiving/chunk-joiner.ts';

describe('the chunks of a body', () => {
  test('however they are cut, are joined to the same bytes, hashed in order, and begin as they began', () => {
    const chunk = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1_000, max: 3_000 }).chain((size) => fc.uint8Array({ minLength: size, maxLength: size })),
    );
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 80 }), fc.integer({ min: 0, max: 5_000 }), (arrays, maxBytes) => {
        const chunks = arrays.map((array) => Buffer.from(array));
        const whole = Buffer.concat(chunks);
        const hashed: Buffer[] = [];
        const joiner = createChunkJoiner((bytes) => hashed.push(Buffer.from(bytes)));
        chunks.forEach(joiner.add);
        expect(joiner.beginning(maxBytes).equals(whole.subarray(0, maxBytes))).toBe(true);
        expect(joiner.end().equals(whole)).toBe(true);
        expect(Buffer.concat(hashed).equals(whole)).toBe(true);
      }),
    );
  });

  test('do not take an object each', () => {
    let pieces = 0;
    const joiner = createChunkJoiner(() => (pieces += 1));
    for (let index = 0; index < 1024 * 1024; index += 1) joiner.add(Buffer.of(index % 256));
    expect(joiner.end()).toHaveLength(1024 * 1024);
    expect(pieces).toBeLessThan(100);
  });

  test('of which there is one are not copied', () => {
    const only = Buffer.from('{"id":"evt_1"}');
    const joiner = createChunkJoiner(() => undefined);
    joiner.add(only);
    expect(joiner.end()).toBe(only);
  });
});
