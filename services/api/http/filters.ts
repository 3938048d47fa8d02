/**
 * A filter of a list, described once: its parameter, its line in the API's document, its SQL, and its judgment in memory for requests that are
 * held all come from its row of a table such as resources/event-filters.ts.
 */
import { formatMicros, parseRfc3339 } from '#lib/clock';
import type { Schema } from '../openapi/schema.ts';
import type { FieldErrors } from './send-problem.ts';

export interface FilterRow<Item = never> {
  /** The schema of its parameter. */
  schema: Schema;
  /** For the document; absent where the name says enough. */
  description?: string;
  /** The value to filter by; absent: the parameter's text. */
  read?(text: string): { value: string } | { message: string };
  /** SQL, over a value that is a text; the tenant is `$1`. */
  condition(value: string): string;
  /** The same of an item at hand; absent where the item does not tell, and the database is asked. */
  matches?(item: Item, value: string): boolean;
}

export type FilterTable<Item = never> = Readonly<Record<string, FilterRow<Item>>>;

/** The values to filter by; items match all of them. */
export type Filtering<Table extends FilterTable> = { [Name in keyof Table]?: string };

export const filterSchemas = <Table extends FilterTable>(table: Table): { [Name in keyof Table]: Schema } =>
  Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema])) as {
    [Name in keyof Table]: Schema;
  };

export const filterDescriptions = (table: FilterTable): Record<string, string> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, { description }]) =>
      description === undefined ? [] : [[name, description]],
    ),
  );

/** @param given parameters by name, those of no filter among them */
export function readFilters<Table extends FilterTable>(
  table: Table,
  given: Readonly<Record<string, string | undefined>>,
): { filter: Filtering<Table> } | { errors: FieldErrors } {
  const filter: Record<string, string> = {};
  const errors: { field: string; message: string }[] = [];
  for (const [name, { read }] of Object.entries(table)) {
    const text = given[name];
    if (text === undefined) continue;
    const result = read?.(text) ?? { value: text };
    if ('value' in result) filter[name] = result.value;
    else errors.push({ field: name, message: result.message });
  }
  return errors.length > 0 ? { errors } : { filter };
}

/** The conditions of a filter; its values are added to those of the statement. */
export const filterConditions = <Table extends FilterTable>(
  table: Table,
  filter: Filtering<Table>,
  values: unknown[],
): string[] =>
  Object.entries(table).flatMap(([name, { condition }]) =>
    filter[name] === undefined ? [] : [condition(`$${values.push(filter[name])}`)],
  );

/** RFC 3339, UTC, with microseconds. Nothing is earlier or later than the bounds, but some clients begin at the year 1. */
export function readInstant(text: string): { value: string } | { message: string } {
  const micros = parseRfc3339(text);
  return micros === undefined
    ? { message: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.123456Z' }
    : { value: formatMicros(Math.min(Math.max(micros, 0), Number.MAX_SAFE_INTEGER)) };
}
