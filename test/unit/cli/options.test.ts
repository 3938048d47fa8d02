import { readHeaders, readLimit, readWholeNumber } from '../../../services/cli/options/values.ts';

test('a whole number has its bounds', () => {
  const bounds = { min: 1, max: 10, otherwise: 3 };
  expect(readWholeNumber('n', undefined, bounds)).toBe(3);
  expect(readWholeNumber('n', '10', bounds)).toBe(10);
  for (const text of ['0', '11', '', ' 1', '1.5', '-1', '1e1', 'ten'])
    expect(() => readWholeNumber('n', text, bounds)).toThrow('--n must be a whole number from 1 to 10');
});

test('a list without --limit has everything, or as much as the verb says', () => {
  expect(readLimit(undefined)).toBe(1_000_000);
  expect(readLimit(undefined, { otherwise: 50 })).toBe(50);
  expect(() => readLimit('0')).toThrow('--limit must be a whole number from 1 to 1000000, not 0');
  expect(() => readLimit('1001', { max: 1_000 })).toThrow('from 1 to 1000');
});

test('a header is a name and a value, with nothing around the value', () => {
  expect(readHeaders(['X-A:  b: c ', 'x-empty:'])).toEqual([
    ['X-A', 'b: c'],
    ['x-empty', ''],
  ]);
  for (const text of ['X-A', ': b', 'X A: b', '']) expect(() => readHeaders([text])).toThrow("'Name: value'");
});
