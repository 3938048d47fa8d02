import { CommandFailure } from '../../../services/cli/command.ts';
import { readHeaders, readOptions, readWholeNumber } from '../../../services/cli/options.ts';

const options = { secret: { type: 'string' }, header: { type: 'string', multiple: true } } as const;

test('options and arguments are read in any order', () => {
  expect(readOptions(['src_1', '--secret', 's', '--header=a', '--header', 'b', '--json'], options, ['id'])).toEqual({
    values: expect.objectContaining({ secret: 's', header: ['a', 'b'], json: true }) as object,
    given: { id: 'src_1' },
  });
  expect(readOptions(['--', '--secret'], options, ['id']).given.id).toBe('--secret');
});

test.each([
  [['x', '--sceret', 's'], "Unknown option '--sceret'"],
  [['x', '--secret'], "Option '--secret <value>' argument missing"],
  [['x', '--json=yes'], "Option '--json' does not take an argument"],
  [[], '<id> is missing'],
  [['x', 'y'], 'what is `y`? It is one argument too many'],
])('%j is a wrong call, which says why', (args, message) => {
  const call = () => readOptions(args, options, ['id']);
  expect(call).toThrow(CommandFailure);
  expect(call).toThrow(message);
  expect(call).toThrow(expect.objectContaining({ exitCode: 2 }) as Error);
});

test('a whole number has its bounds', () => {
  const bounds = { min: 1, max: 10, otherwise: 3 };
  expect(readWholeNumber('n', undefined, bounds)).toBe(3);
  expect(readWholeNumber('n', '10', bounds)).toBe(10);
  for (const text of ['0', '11', '', ' 1', '1.5', '-1', '1e1', 'ten'])
    expect(() => readWholeNumber('n', text, bounds)).toThrow('--n must be a whole number from 1 to 10');
});

test('a header is a name and a value, with nothing around the value', () => {
  expect(readHeaders(['X-A:  b: c ', 'x-empty:'])).toEqual([
    ['X-A', 'b: c'],
    ['x-empty', ''],
  ]);
  for (const text of ['X-A', ': b', 'X A: b', '']) expect(() => readHeaders([text])).toThrow("'Name: value'");
});
