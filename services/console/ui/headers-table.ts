import { html, type Html } from '#lib/html';
import { table } from './lists.ts';

/** Each value of a header that was repeated has a row. Undefined: there are none. */
export function headersTable(
  caption: string,
  headers: Readonly<Record<string, unknown>>,
  nameColumn = 'Name',
): Html | undefined {
  const rows = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value: String(value) })),
  );
  if (rows.length === 0) return undefined;
  return table({
    caption,
    rows,
    columns: [
      { header: nameColumn, cell: ({ name }) => html`<code>${name}</code>` },
      { header: 'Value', cell: ({ value }) => html`<code>${value}</code>` },
    ],
  });
}
