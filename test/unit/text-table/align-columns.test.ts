import { alignColumns, alignFigures } from '#lib/text-table';

const rows = [
  ['name', 'count', ''],
  ['a longer one', '7', 'odd'],
];

test('columns are as wide as their longest cell, and no line ends with blanks', () => {
  expect(alignColumns(rows)).toBe('name          count\na longer one  7      odd');
});

test('figures stand below each other', () => {
  expect(alignFigures(rows)).toBe('name          count\na longer one      7  odd');
});

test('a table without rows is empty', () => {
  expect([alignColumns([]), alignFigures([])]).toEqual(['', '']);
});
