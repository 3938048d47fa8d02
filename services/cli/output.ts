/** What a command prints: for a program the JSON itself, for a person what `human` makes of it. */
export function print<T>(value: T, json: boolean, human: (value: T) => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : human(value)}\n`);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Another's text may hold what moves a terminal's cursor, or turns the order of what is read around. */
export const printable = (value: unknown): string => textOf(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');

/** One thing: a line for each of its fields. */
export function describe(thing: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(thing);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${printable(thing[name])}`).join('\n');
}

/** Several things of one kind: a line each, under the names of the fields. */
export function table(things: readonly Readonly<Record<string, unknown>>[], fields: readonly string[]): string {
  if (things.length === 0) return '(none)';
  const rows = [fields, ...things.map((thing) => fields.map((field) => printable(thing[field] ?? '-')))];
  const widths = fields.map((_field, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
