/** Values to fuzz with, all of them a function of the seed. */
import fc from 'fast-check';
import { seededRandom } from '../../support/seeded-random.ts';

export interface Pools {
  random(): number;
  /** A whole number below `end`. */
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
  /** Any characters, control characters and lone surrogates too. */
  text(): string;
  /** Any bytes. */
  bytes(most?: number): Buffer;
  json(): unknown;
  /** A value of a type that a field seldom expects. */
  oddValue(): unknown;
}

const poolSize = 300;

export const longText = 'x'.repeat(100_000);

export const nested = (levels: number, inner: unknown = 1): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};

const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e\u0007',
  '__proto__',
  'constructor',
  '%00',
  "'; DROP TABLE events; --",
  '${jndi:ldap://127.0.0.1/}',
  '1e999',
  'NaN',
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.000001Z',
  'http://[::1',
  'http://169.254.169.254/',
  'javascript:alert(1)',
  longText,
  [],
  {},
  [null],
  [[[]]],
  { toString: 1 },
  { $where: '1' },
  { $regex: '(a+)+$' },
  Array.from({ length: 2_000 }, () => 'a'),
  nested(50),
];

export function createPools(seed: number): Pools {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const sampled = { seed, numRuns: poolSize };
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), sampled);
  const blobs = fc.sample(fc.uint8Array({ maxLength: 400 }), sampled);
  const jsons = fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), sampled);
  return {
    random,
    below,
    pick,
    text: () => pick(texts),
    bytes: (most = 400) => Buffer.from(pick(blobs)).subarray(0, most),
    json: () => pick(jsons),
    oddValue: () => (random() < 0.8 ? pick(oddValues) : pick(jsons)),
  };
}
