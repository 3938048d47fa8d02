/**
 * A filter of a list, described once: its SQL, and whether an item at hand matches it, for requests that are held. Its parameter is one of the
 * operation's in libs/api-contract.
 */
import { formatMicros, parseRfc3339 } from '#lib/runtime';
import type { FieldErrors } from './send-problem.ts';

export interface FilterRow<Item = never> {
  /** The value to filter by; absent: the parameter's text. */
  read?(text: string): { value: string } | { message: string };
  /** May be given several times: items match each value. The schema allows a list then (`oneOrMore`). */
  repeats?: true;
  /** SQL, over a value that is a text; the tenant is `$1`. */
  condition(value: string): string;
  /** The same of an item at hand; absent where the item does not tell, and the database is asked. */
  matches?(item: Item, value: string): boolean;
}

export type FilterTable<Item = never> = Readonly<Record<string, FilterRow<Item>>>;

/** The values to filter by; items match all of them. */
export type Filtering<Table extends FilterTable> = {
  [Name in keyof Table]?: Table[Name] extends { repeats: true } ? readonly string[] : string;
};

/** Parameters as they were sent: repeated ones are lists. */
export type GivenFilters<Table extends FilterTable> = {
  readonly [Name in keyof Table]?: string | readonly string[] | undefined;
};

/** @param given parameters by name, those of no filter among them */
export function readFilters<Table extends FilterTable>(
  table: Table,
  given: GivenFilters<Table>,
): { filter: Filtering<Table> } | { errors: FieldErrors } {
  const filter: Record<string, string | readonly string[]> = {};
  const errors: { field: string; message: string }[] = [];
  for (const [name, { read, repeats }] of Object.entries(table)) {
    const results = valuesOf(given[name]).map((text) => read?.(text) ?? { value: text });
    const values = results.flatMap((result) => ('value' in result ? [result.value] : []));
    for (const result of results) if ('message' in result) errors.push({ field: name, message: result.message });
    const [value] = values;
    if (value !== undefined) filter[name] = repeats === true ? [...new Set(values)] : value;
  }
  return errors.length > 0 ? { errors } : { filter: filter as Filtering<Table> };
}

/** All values of a filter: none where it is not given. */
export const valuesOf = (given: string | readonly string[] | undefined): readonly string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : given;

/** Adds a value to those of the statement. @returns its parameter */
export type Bind = (value: unknown) => string;

export const bindTo =
  (values: unknown[]): Bind =>
  (value) =>
    `$${values.push(value)}`;

/** The conditions of a filter. */
export const filterConditions = <Table extends FilterTable>(
  table: Table,
  filter: Filtering<Table>,
  bind: Bind,
): string[] =>
  Object.entries(table).flatMap(([name, { condition }]) =>
    valuesOf(filter[name]).map((value) => condition(bind(value))),
  );

/** RFC 3339, UTC, with microseconds. Nothing is earlier or later than the bounds, but some clients begin at the year 1. */
export function readInstant(text: string): { value: string } | { message: string } {
  const micros = parseRfc3339(text);
  return micros === undefined
    ? { message: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.123456Z' }
    : { value: formatMicros(Math.min(Math.max(micros, 0), Number.MAX_SAFE_INTEGER)) };
}
