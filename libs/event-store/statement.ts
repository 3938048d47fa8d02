import type { Query } from '#lib/postgres';
import { arrayLiteral } from './array-literal.ts';

/** One statement over many rows: parameter n is the array of the rows' values in column n, and the text unnests them. */
export interface Statement<Row, Result extends object = Record<string, never>> {
  /** Prepared under it, once per connection. */
  name: string;
  columns: readonly (keyof Row & string)[];
  text: string;
  /** Never set: it carries the type of the rows that come back. */
  result?: Result;
}

/** A statement with its rows as the server reads them. */
export interface EncodedStatement<Result extends object> {
  name: string;
  text: string;
  /** None: there are no rows, and nothing to send. */
  values: readonly string[];
  /** Never set, as that of a statement. */
  result?: Result;
}

/** Ahead of a transaction: whoever waits for what it locks does not wait for this. */
export const encode = <Row, Result extends object>(
  { name, text, columns }: Statement<Row, Result>,
  rows: readonly Row[],
): EncodedStatement<Result> => ({
  name,
  text,
  values: rows.length === 0 ? [] : columns.map((column) => arrayLiteral(rows.map((row) => row[column]))),
});

/** @param more parameters behind those of the columns */
export async function send<Result extends object>(
  tx: Query,
  { name, text, values }: EncodedStatement<Result>,
  more: readonly unknown[] = [],
): Promise<Result[]> {
  return values.length === 0 ? [] : tx.query<Result>(text, [...values, ...more], name);
}

export const run = <Row, Result extends object>(
  tx: Query,
  statement: Statement<Row, Result>,
  rows: readonly Row[],
): Promise<Result[]> => send(tx, encode(statement, rows));

/** A tenant's event, as all statements name it. */
export interface EventRef {
  tenant: string;
  event_id: string;
}
