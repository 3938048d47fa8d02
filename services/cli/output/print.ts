import { alignColumns, fitColumns } from '#lib/text-table';
import { columnsOf, hasColour } from '../config.ts';
import { colourStates } from './colour.ts';
import { shownTime } from './shown-time.ts';

/** Prints a value: as JSON for programs, or formatted by `human`. */
export function print<T>(value: T, json: boolean, human: (value: T) => string): void {
  process.stdout.write(`${json ? jsonText(value, 2) : forPerson(human(value))}\n`);
}

/** The same for one of many values, on one line. */
export function printLine<T>(value: T, json: boolean, human: (value: T) => string): void {
  process.stdout.write(`${json ? jsonText(value) : forPerson(human(value))}\n`);
}

const forPerson = (text: string): string => {
  const shown = printableLines(text);
  return hasColour(process.stdout) ? colourStates(shown) : shown;
};

/**
 * JSON of the same value, in which nothing acts on a terminal: JSON.stringify escapes no more than the controls below 0x20. All others
 * stand within strings, where an escape means the same.
 */
export const jsonText = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_none, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Replaces control characters of foreign text, which could move the cursor or reverse the reading order. */
export const printable = (value: unknown): string => textOf(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');

/** The same for a text of several lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

/** Formats a row: one line for each field. */
export const describe = (row: Readonly<Record<string, unknown>>): string =>
  alignColumns(Object.entries(row).map(([name, value]) => [name, printable(shownTime(value, { precise: true }))]));

/** Shows a list as a table of these fields. */
export const columns =
  (...fields: readonly string[]) =>
  (rows: readonly Readonly<Record<string, unknown>>[]): string =>
    table(rows, fields);

/** Formats several resources of one kind: one line each, under the names of the fields; more lines on a terminal that is too narrow. */
export function table(rows: readonly Readonly<Record<string, unknown>>[], fields: readonly string[]): string {
  if (rows.length === 0) return '(none)';
  const cells = rows.map((row) => fields.map((field) => printable(shownTime(row[field]) ?? '-')));
  return fitColumns([fields, ...cells], columnsOf(process.stdout) ?? Infinity);
}
