import { alignColumns, fitColumns } from '#lib/text-table';
import type { Context } from '../context.ts';
import { colourStates } from './colour.ts';
import type { Screen } from './screen.ts';
import { shownTime } from './shown-time.ts';

type Output = Pick<Context, 'process' | 'screen'>;
type Human<T> = (value: T, screen: Screen) => string;

/** Prints a value: as JSON for programs, or formatted by `human`. */
export function print<T>({ process, screen }: Output, value: T, json: boolean, human: Human<T>): void {
  process.stdout.write(`${json ? jsonText(value, 2) : forPerson(human(value, screen), screen)}\n`);
}

/** The same for one of many values, on one line. */
export function printLine<T>({ process, screen }: Output, value: T, json: boolean, human: Human<T>): void {
  process.stdout.write(`${json ? jsonText(value) : forPerson(human(value, screen), screen)}\n`);
}

function forPerson(text: string, { hasColour }: Screen): string {
  const shown = printableLines(text);
  return hasColour ? colourStates(shown) : shown;
}

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
export const describe = (row: Readonly<Record<string, unknown>>, screen: Screen): string =>
  alignColumns(
    Object.entries(row).map(([name, value]) => [name, printable(shownTime(value, screen, { precise: true }))]),
  );

/** Shows a list as a table of these fields. */
export const columns =
  (...fields: readonly string[]) =>
  (rows: readonly Readonly<Record<string, unknown>>[], screen: Screen): string =>
    table(rows, fields, screen);

/** Formats several resources of one kind: one line each, under the names of the fields; more lines on a terminal that is too narrow. */
export function table(
  rows: readonly Readonly<Record<string, unknown>>[],
  fields: readonly string[],
  screen: Screen,
): string {
  if (rows.length === 0) return '(none)';
  const cells = rows.map((row) => fields.map((field) => printable(shownTime(row[field], screen) ?? '-')));
  return fitColumns([fields, ...cells], screen.columns);
}
