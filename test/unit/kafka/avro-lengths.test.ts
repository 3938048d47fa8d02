import fc from 'fast-check';
import { type AvroShape, areLengthsSound } from '../../../libs/kafka/codec/avro-lengths.ts';
import { processorTimeMs } from '../../support/processor-time.ts';

const primitive = (typeName: string): AvroShape => ({ typeName });
const text = primitive('string');
const entries: AvroShape = {
  typeName: 'record',
  fields: [
    { type: text },
    { type: { typeName: 'array', itemsType: { typeName: 'record', fields: [{ type: text }, { type: text }] } } },
    {
      type: {
        typeName: 'map',
        valuesType: { typeName: 'union:unwrapped', types: [primitive('null'), primitive('long')] },
      },
    },
    { type: { typeName: 'logical:timestamp-micros', underlyingType: primitive('long') } },
    { type: primitive('double') },
  ],
};

/** Zigzag. */
function long(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value < 0 ? -2 * value - 1 : 2 * value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
const string = (value: string): number[] => [...long(Buffer.byteLength(value)), ...Buffer.from(value)];
const array = [...long(2), ...string('a'), ...string('b'), ...string('c'), ...string(''), ...long(0)];
/** A negative count means that the block's length follows. */
const map = [...long(-1), ...long(99), ...string('key'), ...long(1), ...long(-(2 ** 40)), ...long(0)];
const rest = [...long(1_763_712_000_123_456), 0, 0, 0, 0, 0, 0, 0, 0];
const value = Buffer.from([...string('né'), ...array, ...map, ...rest]);

const most = [2 ** 31 - 1, 2 ** 40, 2 ** 53 - 1, 1_000_000_000];

test('a value whose lengths all lead to bytes that are there is sound', () => {
  expect(areLengthsSound(entries, value)).toBe(true);
});

test('one that is cut anywhere is not', () => {
  for (let length = 0; length < value.length; length += 1)
    expect([length, areLengthsSound(entries, value.subarray(0, length))]).toEqual([length, false]);
});

test.each(most.flatMap((count) => [count, -count]))(
  'a count of %d entries that are not there is found out at once, and not after as many turns',
  (count) => {
    const startMs = processorTimeMs();
    for (const before of [string('né'), [...string('né'), ...array]])
      expect(areLengthsSound(entries, Buffer.from([...before, ...long(count), ...string('a')]))).toBe(false);
    expect(areLengthsSound(entries, Buffer.from([...long(Math.abs(count)), 0x61]))).toBe(false);
    expect(processorTimeMs() - startMs).toBeLessThan(1_000);
  },
);

test('whatever the bytes are, it comes to an end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(value.length), (bytes, at) => {
      const forged = Buffer.concat([value.subarray(0, at), bytes, value.subarray(at)]);
      expect(typeof areLengthsSound(entries, forged)).toBe('boolean');
    }),
    { numRuns: 2_000 },
  );
});
