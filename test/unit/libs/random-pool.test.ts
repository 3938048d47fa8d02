import { createRandomPool } from '#lib/runtime';

test('gives the source’s bytes, each once, and leaves those it gave as they are', () => {
  let call = 0;
  const random = createRandomPool((size) => Buffer.alloc(size, (call += 1)));
  const given = Array.from({ length: 1_000 }, () => random(16));
  expect(call).toBe(2);
  expect(given.map((bytes) => bytes[0])).toEqual(given.map((_, index) => (index < 512 ? 1 : 2)));
  expect(given.every((bytes) => bytes.length === 16 && bytes.every((byte) => byte === bytes[0]))).toBe(true);
});

test('never gives the same bytes twice, and more than it holds where that is asked for', () => {
  const random = createRandomPool();
  const given = new Set(Array.from({ length: 5_000 }, () => random(10).toString('hex')));
  expect(given.size).toBe(5_000);
  expect(random(20_000)).toHaveLength(20_000);
});
