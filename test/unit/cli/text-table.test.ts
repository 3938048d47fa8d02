import fc from 'fast-check';
import { alignColumns, fitColumns } from '../../../services/cli/output/text-table.ts';
import { alignFigures } from '../../support/align-figures.ts';

const counted = [
  ['name', 'count', ''],
  ['a longer one', '7', 'odd'],
];

test('columns are as wide as their longest cell, and no line ends with blanks', () => {
  expect(alignColumns(counted)).toBe('name          count\na longer one  7      odd');
});

test('figures stand below each other', () => {
  expect(alignFigures(counted)).toBe('name          count\na longer one      7  odd');
});

test('a table without rows is empty', () => {
  expect([alignColumns([]), alignFigures([])]).toEqual(['', '']);
});

const rows = [
  ['id', 'status', 'detail'],
  ['ep_1', 'retrying', 'connection refused'],
  ['ep_22', 'delivered', ''],
];

test('a table that fits is as without a limit', () => {
  expect(fitColumns(rows, 80)).toBe(alignColumns(rows));
});

test('what does not fit beside the rest stands below it, indented, and an empty line is left out', () => {
  expect(fitColumns(rows, 20)).toBe(
    ['id     status', '  detail', 'ep_1   retrying', '  connection refused', 'ep_22  delivered'].join('\n'),
  );
});

test('a cell that is wider than a line is shortened', () => {
  expect(fitColumns([['url'], ['https://example.com/']], 10)).toBe('url\nhttps://e…');
});

test('no line is wider than the limit, and no short cell is lost', () => {
  const cell = fc.stringMatching(/^[a-z]{1,18}$/);
  const table = fc
    .integer({ min: 1, max: 8 })
    .chain((count) => fc.array(fc.array(cell, { minLength: count, maxLength: count }), { minLength: 1, maxLength: 6 }));
  fc.assert(
    fc.property(table, fc.integer({ min: 20, max: 100 }), (cells, width) => {
      const lines = fitColumns(cells, width).split('\n');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(lines.join(' ').split(/ +/).filter(Boolean)).toEqual(cells.flat());
    }),
  );
});
