/**
 * Lists in the order of ids, which is that of their times, by filters that combine freely. No index has every combination, so a page is read
 * from one lead, and the rows that it leads to are looked at one by one:
 *
 *   lead       a query for the ids of every row that the filter may take, and perhaps of others
 *   ordered    an index has them in the order of ids: reading begins anywhere, and ends with the page
 *   unordered  they are collected and sorted, if there are fewer than `maxRead`
 *
 * The lead with the fewest rows is taken, counted up to `maxRead`; without any, all rows of the tenant lead. A page looks at
 * `maxRead` rows at the most, whatever the filter and the table: where it has found too few by then it is short, perhaps empty, and links on
 * from there. So no request takes long, and none says that there is nothing where it has not looked.
 */
import type { Query } from '#lib/postgres';
import { type Bind, bindTo } from '../http/filters.ts';

export const maxRead = 5_000;

export interface Lead {
  /** SELECT … WHERE …, of the column `id`, behind which more conditions may stand; of several that are ordered, the union is too. */
  ids: readonly string[];
  isOrdered: boolean;
}

export type LeadOf = (bind: Bind) => Lead;

/** Rows that an index has in the order of their ids. @param conditions of each part */
export const ordered = (table: string, conditions: readonly string[]): Lead => ({
  ids: conditions.map((condition) => `SELECT id FROM ${table} WHERE tenant = $1 AND ${condition}`),
  isOrdered: true,
});

/**
 * Rows that an index has in another order. They are collected by it, and sorted afterwards: in one go the planner may go through all rows of
 * the tenant, since they come in the order of their ids.
 *
 * @param by the order of the index, as far as `ids` leaves it open
 */
export const unordered = (ids: string, by: string): Lead => ({
  ids: [`SELECT id FROM (${collected(ids, by)}) AS collected WHERE true`],
  isOrdered: false,
});

/** More than are there: only a lead with fewer than `maxRead` is taken. Told so, the planner reads no more than it is asked for. */
export const collected = (ids: string, by: string): string => `${ids} ORDER BY ${by} LIMIT ${2 * maxRead}`;

/** The part of a list that stays the same from page to page. */
export interface BoundedList {
  /** Columns of the page's rows; with the tables that only these need. */
  columns: string;
  /** The table's name comes last: `deliveries d`. */
  table: string;
  joined?: string;
  leads: readonly LeadOf[];
  /** On the table's columns. */
  conditions(bind: Bind): string[];
}

export interface BoundedPage {
  descending: boolean;
  /** Bounds of ids, not themselves. */
  above?: string | undefined;
  below?: string | undefined;
  limit: number;
}

/** `page` selects the rows, one more than the limit if there is one; `readTo` the id that was looked at last, null at the end of the list. */
export function boundedSql(
  { columns, table, joined = '', conditions }: BoundedList,
  lead: LeadOf,
  { descending, above, below, limit }: BoundedPage,
  bind: Bind,
): { page: string; readTo: string } {
  const { ids, isOrdered } = lead(bind);
  const bounds = [
    ...(above === undefined ? [] : [`id > ${bind(above)}`]),
    ...(below === undefined ? [] : [`id < ${bind(below)}`]),
  ];
  const order = descending ? 'DESC' : 'ASC';
  const parts = ids.map((part) => [part, ...bounds].join(' AND '));
  const led = isOrdered ? union(parts, `ORDER BY id ${order}`) : parts.join('');
  // Several rows may lead to the same id, but for those in the order of it.
  const walk = (range: string): string =>
    `SELECT ${isOrdered ? '' : 'DISTINCT '}id FROM (${led}) AS led ORDER BY id ${order} ${range}`;
  const name = table.split(' ').at(-1) ?? table;
  const matching = [`${name}.tenant = $1`, `${name}.id = lead.id`, ...conditions(bind)].join(' AND ');
  return {
    // OFFSET 0: each row is looked up by itself, and none once the page is full.
    page: `
      SELECT found.*
        FROM (${walk(`LIMIT ${maxRead}`)}) AS lead
       CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} ${joined} WHERE ${matching} OFFSET 0) AS found
       ORDER BY lead.id ${order}
       LIMIT ${limit + 1}`,
    readTo: walk(`OFFSET ${maxRead - 1} LIMIT 1`),
  };
}

/** An unordered lead, unless it is too long: then the first ordered one, or all rows. */
export async function chooseLead(
  postgres: Query,
  tenant: string,
  { leads }: BoundedList,
  all: LeadOf,
): Promise<LeadOf> {
  const values: unknown[] = [tenant];
  const built = leads.map((lead) => lead(bindTo(values)));
  const [first = all] = leads;
  if (built.length === 0 || (built.length === 1 && built[0]?.isOrdered === true)) return first;
  const counts = built.map(({ ids, isOrdered }, index) => {
    const counted = union(ids, isOrdered ? 'ORDER BY id' : '');
    return `(SELECT count(*)::int FROM (SELECT FROM (${counted}) AS led LIMIT ${maxRead}) AS first) AS "${index}"`;
  });
  const [counted = {}] = await postgres.query<Record<string, number>>(
    `SELECT ${counts.join(', ')} FROM (SELECT $1::text) AS asked`,
    values,
  );
  const rowsOf = (index: number): number => counted[index] ?? maxRead;
  const [fewest] = [...leads.keys()].sort((a, b) => rowsOf(a) - rowsOf(b));
  if (fewest !== undefined && rowsOf(fewest) < maxRead) return leads[fewest] ?? all;
  return leads[built.findIndex(({ isOrdered }) => isOrdered)] ?? all;
}

/** Each part is read as far as needed, and never by another index than its own: the limit is what the planner goes by. */
const union = (parts: readonly string[], order: string): string =>
  parts.map((part) => `(${part} ${order} LIMIT ${maxRead})`).join(' UNION ALL ');

/** Whether one of the columns contains the text, whatever the case. No character of it has a meaning of its own. */
export const containsText = (columns: readonly string[], text: string): string =>
  `(${columns.map((column) => `strpos(lower(${column}), lower(${text})) > 0`).join(' OR ')})`;
