import fc from 'fast-check';
import { canonicalNumber, compareDecimals, decimalOf, parseExact, rawNumber } from '#lib/exact-json';

describe('one text for each value', () => {
  test.each([
    [['1', '1.0', '1e0', '10e-1', '0.1E1', '100e-2'], '1'],
    [['0', '-0', '0.0', '0e999', '-0.00e-7'], '0'],
    [['9007199254740993', '9007199254740993.0', '9.007199254740993e15'], '9007199254740993'],
    [['0.001', '1e-3'], '0.001'],
    [['-120', '-1.2e2'], '-120'],
    [['1e400'], '1e400'],
    [['1.50e-400'], '1.5e-400'],
  ])('of %j is %s', (written, text) => {
    expect(written.map(canonicalNumber)).toEqual(written.map(() => text));
  });

  test('is a number of this value itself', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(Number(canonicalNumber(String(number)))).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});

test('decimals are ordered by their values, as doubles are where these hold them', () => {
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(doubles, doubles, (one, other) => {
      const order = compareDecimals(decimalOf(String(one)), decimalOf(String(other)));
      expect(order).toBe(one < other ? -1 : one > other ? 1 : 0);
    }),
    {
      examples: [
        [-2, -2],
        [-3, -2],
        [-2, -30],
      ],
    },
  );
  const rising = [
    '-1e400',
    '-2',
    '-1.0000000000000000001',
    '-1',
    '0',
    '1e-400',
    '1',
    '1.0000000000000000001',
    '9007199254740992',
    '9007199254740993',
    '1e400',
    '2e400',
  ];
  const sorted = rising.toReversed().toSorted((one, other) => compareDecimals(decimalOf(one), decimalOf(other)));
  expect(sorted).toEqual(rising);
});

describe('JSON', () => {
  test('keeps numbers that a double does not hold, as they were written', () => {
    const text = '{"a":9007199254740993,"b":[1.0000000000000000001,1e400],"c":12345678901234567890}';
    expect(JSON.stringify(parseExact(text, 'all'))).toBe(text);
    expect(rawNumber((parseExact(text, 'all') as { a: unknown }).a)).toBe('9007199254740993');
    expect(JSON.stringify(parseExact('{"a":9007199254740993,"b":1.0000000000000000001}', 'whole'))).toBe(
      '{"a":9007199254740993,"b":1}',
    );
    expect(JSON.stringify(parseExact('9007199254740993', 'whole'))).toBe('9007199254740993');
  });

  test('has doubles for all others, whatever looks like a long number', () => {
    const text = '{"a":1.0,"b":1e3,"c":"9007199254740993","d":0.30000000000000004,"e":9007199254740992,"f":"[1e5"}';
    expect(parseExact(text, 'all')).toEqual(JSON.parse(text));
    fc.assert(fc.property(fc.json(), (any) => expect(parseExact(any, 'all')).toEqual(JSON.parse(any))));
  });

  test('of thousands of levels is read, too', () => {
    const text = `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`;
    expect(Array.isArray(parseExact(text, 'all'))).toBe(true);
  });

  test('that is none is a SyntaxError', () => {
    expect(() => parseExact('{"a":12345678901234567890', 'all')).toThrow(SyntaxError);
  });
});
