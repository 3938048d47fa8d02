import { html, type Html } from '#lib/html';
import type { FieldError, Listed } from '../api-calls/console-api.ts';
import { page, type PageResult } from '../page-result.ts';
import { type Column, emptyState, type Filter, filterForm, pager, table } from './lists.ts';

interface ListPage<Row> {
  title: string;
  /** The path of the list. */
  href: string;
  listed: Listed<Row>;
  columns: readonly Column<Row>[];
  /** The page of a row. */
  row?(row: Row): string;
  filters?: readonly Filter[];
  /** Beside the heading. */
  actions?: Html | null;
  /** Between the filters and the rows. */
  above?: Html | null;
  /** How to begin: shown while there is nothing at all. */
  empty: Parameters<typeof emptyState>[0];
  pagerWords?: { prev: string; next: string };
}

/** Where in the list a page is: parameters of the API, which page through the same list. */
const positions = ['cursor', 'before', 'after', 'limit'];

/** The parameters that the page of a list takes. */
export const listParameters = (filters: readonly Filter[], ...more: readonly string[]): readonly string[] => [
  ...filters.map(({ name }) => name),
  ...positions,
  ...more,
];

/**
 * The page of a list: its filters, rows and neighbours. An empty list without filters shows how to begin, and is a 200; filters that nothing
 * matches, and a page beyond the last, are a 404 with the form as it was; wrong filters are a 400.
 */
export function listPage<Row>({ query }: { query: URLSearchParams }, list: ListPage<Row>): PageResult {
  const { title, href, listed, columns, row, filters = [], actions, above, empty, pagerWords } = list;
  const errors = listed.ok ? [] : listed.errors;
  const form = filters.length === 0 ? null : filterForm({ action: href, filters, query, errors });
  const content = { title, actions };
  if (!listed.ok)
    return page({ ...content, status: 400, body: html`${form}${wrongParameters(listed.errors, filters)}` });
  if (listed.items.length === 0) {
    const isNarrowed = [...query.keys()].some((name) => name !== 'limit');
    return isNarrowed
      ? page({ ...content, status: 404, body: html`${form}${nothingFound(href)}` })
      : page({ ...content, body: html`${above}${emptyState(empty)}` });
  }
  const rows = table({ caption: title, columns, rows: listed.items, href: row });
  const pages = pager({ href, next: listed.next, prev: listed.prev, words: pagerWords });
  return page({ ...content, body: html`${form}${above}${rows}${pages}` });
}

/** The errors that no field of the form shows. */
export function wrongParameters(errors: readonly FieldError[], filters: readonly Filter[]): Html {
  const others = errors.filter(({ field }) => !filters.some(({ name }) => name === field));
  return html`<div class="empty"><h2>These filters are not valid</h2><p>Correct them, and filter again.</p>
${others.length > 0 && html`<ul>${others.map(({ field, message }) => html`<li><code>${field}</code> ${message}</li>`)}</ul>`}</div>`;
}

/** @param href the list without filters */
export const nothingFound = (href: string, subject = 'Nothing here'): Html =>
  html`<div class="empty"><h2>Nothing matches</h2><p>${subject} matches all filters. Change a filter, or <a href="${href}">see all</a>.</p></div>`;
