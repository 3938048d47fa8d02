import type { Query } from '#lib/postgres';

/** One statement over many rows: parameter n is the array of the rows' values in column n, and the text unnests them. */
export interface Statement<Row, Result extends object = Record<string, never>> {
  /** Prepared under it, once per connection. */
  name: string;
  columns: readonly (keyof Row & string)[];
  text: string;
  /** Never set: it carries the type of the rows that come back. */
  result?: Result;
}

export async function run<Row, Result extends object>(
  tx: Query,
  statement: Statement<Row, Result>,
  rows: readonly Row[],
): Promise<Result[]> {
  if (rows.length === 0) return [];
  const values = statement.columns.map((column) => rows.map((row) => row[column]));
  return tx.query<Result>(statement.text, values, statement.name);
}

/** A tenant's event, as all statements name it. */
export interface EventRef {
  tenant: string;
  event_id: string;
}
