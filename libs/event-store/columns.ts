/** The type in memory of a column, by its SQL type. */
interface Values {
  text: string;
  int: number;
  /** In digits. */
  bigint: string;
  float8: number;
  real: number;
  boolean: boolean;
  bytea: Buffer;
  json: string;
  jsonb: string;
  /** RFC 3339, UTC, with microseconds; or infinity. */
  timestamptz: string;
}

type SqlType = keyof Values;

/** The columns of a statement's rows, in order: the SQL type of each, with a `?` where it may be null. */
export type Columns = Readonly<Record<string, SqlType | `${SqlType}?`>>;

/** A row with these columns. */
export type RowOf<C extends Columns> = {
  -readonly [Name in keyof C]: C[Name] extends `${infer Type extends SqlType}?`
    ? Values[Type] | null
    : C[Name] extends SqlType
      ? Values[C[Name]]
      : never;
};

export const columnNames = <C extends Columns>(columns: C): (keyof C & string)[] => Object.keys(columns);

/** `a, b`; of a table `t`: `t.a, t.b`. */
export const listed = (columns: Columns, table?: string): string =>
  columnNames(columns)
    .map((name) => (table === undefined ? name : `${table}.${name}`))
    .join(', ');

/** The rows of a statement as a table: `unnest($1::text[], $2::int[]) AS t (a, b)`. */
export function unnested(columns: Columns, table: string): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 1}::${type.replace('?', '')}[]`);
  return `unnest(${arrays.join(', ')}) AS ${table} (${listed(columns)})`;
}
