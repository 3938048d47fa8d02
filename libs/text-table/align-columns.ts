type Rows = readonly (readonly string[])[];
type Pad = (cell: string, width: number, column: number) => string;

/** A line for each row, columns as wide as they need, aligned to the left. */
export const alignColumns = (rows: Rows): string => align(rows, (cell, width) => cell.padEnd(width));

/** The same with figures: all columns but the first are aligned to the right. */
export const alignFigures = (rows: Rows): string =>
  align(rows, (cell, width, column) => (column === 0 ? cell.padEnd(width) : cell.padStart(width)));

function align(rows: Rows, pad: Pad): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  ');
  return rows.map((row) => lineOf(row).trimEnd()).join('\n');
}
