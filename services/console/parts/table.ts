import { html, type Html, type HtmlValue } from '#lib/html';

export interface Column<Row> {
  header: string;
  /** The first column of a row with a link holds the link's text. */
  cell(row: Row): HtmlValue;
  /** Numbers stand at the end of their column. */
  isNumber?: boolean;
}

interface Table<Row> {
  /** The table's subject, for those who don't see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The page of a row: a click anywhere on the row opens it. */
  href?(row: Row): string;
  /** For an island that adds rows. */
  id?: string;
}

/** A list as a table. On a narrow screen each row becomes a block with the headers inside: the page itself never scrolls sideways. */
export function table<Row>({ caption, columns, rows, href, id }: Table<Row>): Html {
  return html`<div class="table-frame"><table role="table" class="rows${href === undefined ? '' : ' rows-linked'}"${id === undefined ? null : html` id="${id}"`}><caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(({ header, isNumber }) => html`<th scope="col" role="columnheader"${isNumber === true ? html` class="number"` : null}>${header}</th>`)}</tr></thead>
<tbody role="rowgroup">${tableRows({ columns, rows, ...(href && { href }) })}</tbody></table></div>`;
}

/** The rows alone: what an island inserts. */
export const tableRows = <Row>({ columns, rows, href }: Pick<Table<Row>, 'columns' | 'rows' | 'href'>): Html =>
  html`${rows.map(
    (row) =>
      html`<tr role="row">${columns.map(({ header, cell, isNumber }, index) => {
        const content = cell(row);
        const shown = index === 0 && href !== undefined ? html`<a href="${href(row)}">${content}</a>` : content;
        return html`<td role="cell" data-header="${header}"${isNumber === true ? html` class="number"` : null}>${shown}</td>`;
      })}</tr>`,
  )}`;
