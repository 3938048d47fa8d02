type Rows = readonly (readonly string[])[];

/** A line for each row, columns as wide as they need, aligned to the left. */
export const alignColumns = (rows: Rows): string => align(rows, (cell, width) => cell.padEnd(width));

/** @param pad makes a cell as wide as its column */
export function align(rows: Rows, pad: (cell: string, width: number, column: number) => string): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  ');
  return rows.map((row) => lineOf(row).trimEnd()).join('\n');
}

const gap = 2;
const indent = '  ';

/**
 * A table no wider than this. Columns that do not fit beside the others stand on further lines of each row, indented, aligned below each
 * other as well; a cell that is wider than a whole line ends with `…`.
 */
export function fitColumns(rows: Rows, width: number): string {
  const groups = groupColumns(rows, width);
  if (groups.length <= 1 && widthOf(rows, groups[0] ?? []) <= width) return alignColumns(rows);
  const blocks = groups.map((columns, index) => {
    const room = index === 0 ? width : width - indent.length;
    const cells = rows.map((row) => columns.map((column) => shortenTo(row[column] ?? '', room)));
    return alignColumns(cells).split('\n');
  });
  return rows
    .flatMap((_row, line) =>
      blocks.map((block, index) => (index === 0 ? (block[line] ?? '') : `${indent}${block[line] ?? ''}`.trimEnd())),
    )
    .filter((line, index) => index % blocks.length === 0 || line !== '')
    .join('\n');
}

/** The columns of each line of a row, in their order. */
function groupColumns(rows: Rows, width: number): number[][] {
  const groups: number[][] = [];
  for (const column of (rows[0] ?? []).keys()) {
    const last = groups.at(-1);
    const room = groups.length === 1 ? width : width - indent.length;
    if (last !== undefined && widthOf(rows, [...last, column]) <= room) last.push(column);
    else groups.push([column]);
  }
  return groups;
}

const widthOf = (rows: Rows, columns: readonly number[]): number =>
  columns.reduce((sum, column) => sum + gap + Math.max(...rows.map((row) => row[column]?.length ?? 0)), -gap);

const shortenTo = (cell: string, width: number): string =>
  cell.length > width ? `${cell.slice(0, Math.max(0, width - 1))}…` : cell;
