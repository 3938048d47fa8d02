/**
 * Finds what a selection matches, in the order of ids, with bounded work in each statement: the few that match by whatever index fits, if
 * they are few and quickly found; else window by window along the ids, each of so many rows, matching or not.
 */
import { isTimedOut } from '#lib/postgres';
import type { Store } from '../../resources/resource-table.ts';
import type { Matching } from './operations.ts';

/** The place to go on from: behind this id, or with it. */
export interface From {
  id: string;
  isIncluded: boolean;
}

export const fromTheFirst: From = { id: '', isIncluded: false };

/** Rows of a window: some hundred milliseconds where each is looked up in two other tables. */
const windowRows = 20_000;
/** To find out that they are few. */
const fewWithinMs = 1_000;

const after = ({ id, isIncluded }: From, values: unknown[]): string =>
  `id ${isIncluded ? '>=' : '>'} $${values.push(id)}`;

/** All that match, in no order; undefined if they are more than `max`, or not found at once. */
export async function findFew<Row extends object>(
  store: Store,
  matching: Matching,
  { columns, from, max }: { columns: string; from: From; max: number },
): Promise<Row[] | undefined> {
  const values = [...matching.values];
  const text = `SELECT ${columns} FROM ${matching.from}
                 WHERE ${matching.where} AND ${after(from, values)}
                 LIMIT $${values.push(max + 1)}`;
  try {
    const rows = await store.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${fewWithinMs}`);
      const found = await tx.query<Row>(text, values);
      // The transaction may be part of a longer one.
      await tx.query('SET LOCAL statement_timeout TO DEFAULT');
      return found;
    });
    return rows.length > max ? undefined : rows;
  } catch (error) {
    if (isTimedOut(error)) return undefined;
    throw error;
  }
}

/** The last id of the window that begins there; undefined if nothing is left. */
export async function endOfWindow(
  store: Store,
  { from: table, values: [tenant] }: Matching,
  from: From,
): Promise<{ id: string; isLast: boolean } | undefined> {
  const values: unknown[] = [tenant];
  const [row] = await store.query<{ id: string | null; rows: number }>(
    `SELECT max(id) AS id, count(*)::int AS rows
       FROM (SELECT id FROM ${table} WHERE tenant = $1 AND ${after(from, values)} ORDER BY id LIMIT ${windowRows}) AS next`,
    values,
  );
  return row === undefined || row.id === null ? undefined : { id: row.id, isLast: row.rows < windowRows };
}

/** Finds the matches of a window, as the rest of the statement has them. */
export function findInWindow<Row extends object>(
  store: Store,
  matching: Matching,
  { columns, from, to, rest }: { columns: string; from: From; to: string; rest: string },
): Promise<Row[]> {
  const values = [...matching.values];
  return store.query<Row>(
    `SELECT ${columns} FROM ${matching.from}
      WHERE ${matching.where} AND ${after(from, values)} AND id <= $${values.push(to)}
      ${rest}`,
    values,
  );
}
