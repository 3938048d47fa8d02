import { align } from '../../services/cli/output/text-table.ts';

/** Rows with figures: all columns but the first are aligned to the right. */
export const alignFigures = (rows: readonly (readonly string[])[]): string =>
  align(rows, (cell, width, column) => (column === 0 ? cell.padEnd(width) : cell.padStart(width)));
