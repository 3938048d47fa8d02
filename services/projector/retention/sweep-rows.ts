import type { Query } from '#lib/postgres';
import { openOwners, type Owner } from './open-work.ts';

/**
 * Runs pieces of work, each a few milliseconds, until one says that it was the last, or the process stops. Between them it rests: what is
 * removed must not slow what is written.
 */
export type Paced = (piece: () => Promise<{ last: boolean }>) => Promise<void>;

export interface Sweep {
  table: string;
  /** Unique columns that an index has in this order: the rows are gone through along it. */
  key: readonly { column: string; type: 'text' | 'integer' | 'bigint' | 'timestamptz' }[];
  /** Columns beside the key that the condition looks at. */
  columns: readonly string[];
  /** A condition over the values that finds candidates cheaply by the index. */
  within?: string;
  /** Whether a row `r` is to be removed; over the values. */
  removable: string;
  /** A row whose owner is open stays. */
  owner?: Owner;
  values: readonly unknown[];
}

/** Rows that a piece looks at. */
const rowsAtOnce = 2_000;

/** Removes what is removable, a piece of the key's order at a time. @returns how many rows that were */
export async function sweepRows(postgres: Query, sweep: Sweep, paced: Paced): Promise<number> {
  let after: readonly string[] | undefined;
  let removed = 0;
  await paced(async () => {
    const [piece] = await postgres.query<{ seen: number; removed: number; last_key: string[] | null }>(
      pieceOf(sweep, after !== undefined),
      [...sweep.values, ...(after ?? [])],
    );
    removed += piece?.removed ?? 0;
    after = piece?.last_key ?? undefined;
    return { last: (piece?.seen ?? 0) < rowsAtOnce };
  });
  return removed;
}

/** The time is a row's own, so that a row that is written meanwhile is looked at, or is too young to be. */
function pieceOf(sweep: Sweep, continued: boolean): string {
  const { table, key, columns, within = 'true', removable, owner, values } = sweep;
  const names = key.map(({ column }) => column);
  const last = key.map(({ type }, index) => `$${values.length + index + 1}::text::${type}`);
  const newestFirst = names.map((name) => `${name} DESC`);
  return `
    WITH slice AS MATERIALIZED (
      SELECT ${[...new Set([...names, ...columns])].join(', ')}
        FROM ${table}
       WHERE ${within} AND ${continued ? `(${names.join(', ')}) > (${last.join(', ')})` : 'true'}
       ORDER BY ${names.join(', ')}
       LIMIT ${rowsAtOnce}
    )${owner === undefined ? '' : `, open AS MATERIALIZED (${openOwners('slice', owner)})`}, removed AS (
      DELETE FROM ${table} t
       USING slice r
       WHERE ${names.map((name) => `t.${name} = r.${name}`).join(' AND ')} AND ${removable}
         ${owner === undefined ? '' : `AND (r.tenant, r.${owner.column}) NOT IN (SELECT * FROM open)`}
      RETURNING true
    )
    SELECT (SELECT count(*)::int FROM slice) AS seen,
           (SELECT count(*)::int FROM removed) AS removed,
           (SELECT ARRAY[${names.map((name) => `${name}::text`).join(', ')}]
              FROM slice ORDER BY ${newestFirst.join(', ')} LIMIT 1) AS last_key`;
}
