import type { Page } from '#client';
import { type Html, html, type HtmlValue } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { type Option, selectField, textField } from './form.ts';
import { codeBlock } from './text.ts';

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
}

/** A list as a table. On a narrow screen each row becomes a block with the headers inside: the page itself never scrolls sideways. */
export function table<Row>({ caption, columns, rows, href }: Table<Row>): Html {
  return html`<div class="table-frame"><table role="table" class="rows${href === undefined ? '' : ' rows-linked'}"><caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(({ header, isNumber }) => html`<th scope="col" role="columnheader"${isNumber === true && html` class="number"`}>${header}</th>`)}</tr></thead>
<tbody role="rowgroup">${tableRows({ columns, rows, href })}</tbody></table></div>`;
}

/** The rows alone: what an island inserts. */
export const tableRows = <Row>({ columns, rows, href }: Pick<Table<Row>, 'columns' | 'rows' | 'href'>): Html =>
  html`${rows.map(
    (row) =>
      html`<tr role="row">${columns.map(({ header, cell, isNumber }, index) => {
        const content = cell(row);
        const shown = index === 0 && href !== undefined ? html`<a href="${href(row)}">${content}</a>` : content;
        return html`<td role="cell" data-header="${header}"${isNumber === true && html` class="number"`}>${shown}</td>`;
      })}</tr>`,
  )}`;

interface Pager extends Pick<Page<unknown>, 'next' | 'prev'> {
  /** The path of the list. */
  href: string;
  /** The words for the directions in this list. */
  words?: { prev: string; next: string };
}

/** Links to the pages beside this one; nothing for a list of one page. */
export function pager({ href, next, prev, words = { prev: 'Previous', next: 'Next' } }: Pager): Html | null {
  if (next === undefined && prev === undefined) return null;
  return html`<nav class="pager" aria-label="Pages">
${prev && html`<a rel="prev" href="${withQuery(href, prev)}">‹ ${words.prev}</a>`}
${next && html`<a rel="next" href="${withQuery(href, next)}">${words.next} ›</a>`}
</nav>`;
}

interface EmptyState {
  /** The sentence that says what there is not yet. */
  title: string;
  body?: Html | string;
  /** The next command to enter. */
  command?: string;
  actions?: Html;
}

/** A list in which there is nothing yet: how to begin. */
export const emptyState = ({ title, body, command, actions }: EmptyState): Html =>
  html`<div class="empty"><h2>${title}</h2>${body && html`<p>${body}</p>`}${command && codeBlock(command)}${actions}</div>`;

interface Common {
  /** The parameter, which the API has by the same name. */
  name: string;
  label: string;
  /** Below “More filters”, which are open while one of them is set. */
  isRare?: boolean;
}

export type Filter =
  | (Common & { kind: 'choice'; options: readonly (string | Option)[] })
  /** Several at once. */
  | (Common & { kind: 'checks'; options: readonly Option[] })
  /** Repeated: a field for each value, and one more. */
  | (Common & { kind: 'text'; placeholder?: string; isRepeated?: boolean })
  /** RFC 3339, so that a link means the same tomorrow. */
  | (Common & { kind: 'time' });

interface FilterForm {
  /** The path of the list. */
  action: string;
  filters: readonly Filter[];
  /** The parameters of the request: they stay in the form. */
  query: URLSearchParams;
  errors?: readonly FieldError[];
  /** Before the filters. */
  above?: Html;
  /** The text of the button. */
  submit?: string;
}

/** The filters of a list as a form. It is a GET: the filters are in the address, and can be sent to somebody. */
export function filterForm({ action, filters, query, errors = [], above, submit = 'Filter' }: FilterForm): Html {
  const isSet = ({ name }: Filter): boolean => query.has(name) || errors.some(({ field }) => field === name);
  const rare = filters.filter(({ isRare }) => isRare === true);
  const fieldsOf = (some: readonly Filter[]) => some.map((filter) => filterFields(filter, query, errors));
  return html`<form class="filters" action="${action}">${above}
${fieldsOf(filters.filter((filter) => !rare.includes(filter)))}
${rare.length > 0 && html`<details class="more-filters"${rare.some(isSet) && html` open`}><summary>More filters</summary><div class="filters">${fieldsOf(rare)}</div></details>`}
<div class="filter-buttons"><button>${submit}</button>${filters.some(isSet) && html`<a href="${action}">Clear</a>`}</div>
</form>`;
}

/** The field of a filter, or its fields. @param query its values */
export function filterFields(filter: Filter, query: URLSearchParams, errors: readonly FieldError[]): Html | Html[] {
  if (filter.kind === 'checks') return checks(filter, query.getAll(filter.name));
  if (filter.kind !== 'text' || filter.isRepeated !== true)
    return filterField(filter, { value: query.get(filter.name) ?? '', errors });
  const values = query.getAll(filter.name);
  return [...values, ''].map((value, index) => {
    const label = index === 0 ? filter.label : `and ${filter.label.toLowerCase()}`;
    return filterField({ ...filter, label }, { value, errors, index });
  });
}

const checks = ({ name, label, options }: Filter & { kind: 'checks' }, chosen: readonly string[]): Html =>
  html`<fieldset class="checks"><legend>${label}</legend>${options.map((option) => html`<label class="check"><input type="checkbox" name="${name}" value="${option.value}"${chosen.includes(option.value) && html` checked`}> ${option.label}</label>`)}</fieldset>`;

function filterField(
  filter: Exclude<Filter, { kind: 'checks' }>,
  given: { value: string; errors: readonly FieldError[]; index?: number },
): Html {
  const field = { name: filter.name, label: filter.label, ...given };
  switch (filter.kind) {
    case 'choice':
      return selectField({ ...field, options: [{ value: '', label: 'Any' }, ...filter.options.map(inFull)] });
    case 'text':
      return textField({ ...field, placeholder: filter.placeholder ?? '' });
    case 'time':
      return textField({ ...field, placeholder: '2026-01-31T09:30:00Z', size: 22 });
  }
}

const inFull = (option: string | Option): Option =>
  typeof option === 'string' ? { value: option, label: option.replaceAll('_', ' ') } : option;

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
