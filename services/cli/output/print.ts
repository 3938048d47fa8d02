import type { HttpResult } from '#client';
import { eventStatuses, openStatuses } from '#lib/contract';
import { columnsOf, hasColour } from '../config.ts';
import type { Context } from '../context.ts';
import { alignColumns, fitColumns } from './text-table.ts';

/** How output looks to whoever runs the command. */
export interface Screen {
  /** How wide tables may be; Infinity for a file or a pipe. */
  columns: number;
  hasColour: boolean;
  /** The offset of the zone that times are shown in, in minutes: positive to the east. */
  offsetMinutes(at: Date): number;
}

export const screenOf = (stdout: Context['process']['stdout'], env: Context['env']): Screen => ({
  columns: columnsOf(stdout, env) ?? Infinity,
  hasColour: hasColour(stdout, env),
  offsetMinutes: (at) => -at.getTimezoneOffset(),
});

export const inUtc = (screen: Screen): Screen => ({ ...screen, offsetMinutes: () => 0 });

/** Colours for a terminal. They are put on text whose control characters have been replaced: no text of others makes any. */
const codes = { good: 32, bad: 31, waiting: 33 } as const;

type Tone = keyof typeof codes;

export const coloured = (tone: Tone, text: string): string => `\u001b[${codes[tone]}m${text}\u001b[0m`;

const tones: Readonly<Record<string, Tone>> = {
  ...toned('waiting', [...openStatuses, ...eventStatuses, 'running', 'queued', 'replaying']),
  ...toned('good', ['delivered', 'completed', 'ready', 'up', 'allowed', 'verified', 'replayed']),
  ...toned('bad', ['dead_lettered', 'failed', 'silent', 'not_ready', 'down', 'dead', 'cancelled', 'disabled']),
};

/** A state that is a cell of its own: between the beginning of the line, two blanks, or its end. */
const state = new RegExp(`(?<=^|  )(?:${Object.keys(tones).join('|')})(?=  |$)`, 'gm');

/** Colours the states in lines and tables. */
const colourStates = (text: string): string => text.replace(state, (word) => coloured(tones[word] ?? 'waiting', word));

function toned(tone: Tone, words: readonly string[]): Record<string, Tone> {
  return Object.fromEntries(words.map((word) => [word, tone]));
}

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

/** Says on the standard error why a request is sent again, and when. */
export const printRetry =
  ({ process }: Context) =>
  (result: HttpResult, waitMs: number): void => {
    const what = 'status' in result ? `answered ${result.status}` : result.noAnswer;
    process.stderr.write(`${printable(what)}; again in ${(waitMs / 1000).toFixed(1)} s\n`);
  };

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * A time of the API in the zone of the screen (UTC under `--utc`), still RFC 3339: `2026-01-31T10:30:00+01:00`. Other values stay.
 *
 * @param precise with the fraction of the second
 */
export function shownTime(value: unknown, { offsetMinutes }: Screen, { precise = false } = {}): unknown {
  if (typeof value !== 'string') return value;
  const match = instant.exec(value);
  const at = match === null ? Number.NaN : Date.parse(value);
  if (Number.isNaN(at)) return value;
  const offset = offsetMinutes(new Date(at));
  const local = new Date(at + offset * 60_000).toISOString().slice(0, 19);
  return `${local}${precise ? (match?.[1] ?? '') : ''}${zone(offset)}`;
}

function zone(offset: number): string {
  if (offset === 0) return 'Z';
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
