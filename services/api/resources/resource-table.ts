import type { Postgres, Query } from '#lib/postgres';
import type { IdPrefix } from '#lib/runtime';
import { matches } from '../http/etag.ts';
import { type Bind, bindTo } from '../http/filters.ts';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from './ids.ts';

/**
 * The common part of sources, endpoints and keys: rows of one tenant, changed one at a time. A deleted row stays as a tombstone; once no
 * service needs it in memory, it is buried (deploy/postgres/migrations). Every change increments the revision, which is the ETag, and moves
 * `changed_at`, by which the other services notice it.
 */
export interface ResourceRow {
  id: string;
  revision: number;
  created_at: string;
  deleted_at: string | null;
}

export type Store = Pick<Postgres, 'query' | 'transaction'>;

export interface Named {
  tenant: string;
  id: string;
}

/** The row that a request changes, and the only state in which it may. */
interface Change extends Named {
  ifMatch: string | undefined;
}

type Refusal = 'not_found' | 'gone' | 'precondition_failed';

export interface ResourceTable<Row extends ResourceRow, Sealed extends object = { secrets: Buffer }> {
  idPattern: RegExp;
  /** A deleted one is found too. */
  find(postgres: Query, tenant: string, id: string): Promise<Row | undefined>;
  /**
   * Rows that are not deleted, the oldest first; one more than the page holds.
   *
   * @param conditions more, on columns of the table
   */
  list(postgres: Query, tenant: string, page: PageRequest, conditions?: (bind: Bind) => string[]): Promise<Row[]>;
  /** A concurrent change of the same row waits, and starts from the result of this one. */
  change<T>(
    store: Store,
    change: Change,
    work: (row: Row & Sealed, tx: Query) => Promise<T>,
  ): Promise<{ changed: T } | { refused: Refusal }>;
  /** Updates a row that `change` has locked. @param assignments with values from $3 on */
  set(tx: Query, named: Named, assignments: string, values?: readonly unknown[]): Promise<Row>;
  /** The same for what is no change of its settings: the revision stays. */
  note(tx: Query, named: Named, assignments: string, values?: readonly unknown[]): Promise<Row>;
  /** @param then what else the transaction does */
  remove(
    store: Store,
    change: Change,
    then: (row: Row & Sealed, tx: Query) => Promise<void>,
  ): Promise<{ changed: void } | { refused: Refusal }>;
}

/**
 * @param columns the columns of `Row`
 * @param sealed the encrypted columns of `Sealed`, loaded for updates only
 */
export function createResourceTable<Row extends ResourceRow, Sealed extends object = { secrets: Buffer }>(
  table: 'sources' | 'endpoints' | 'api_keys',
  prefix: IdPrefix,
  columns: string,
  sealed = 'secrets',
): ResourceTable<Row, Sealed> {
  const pattern = idPattern(prefix);

  const change: ResourceTable<Row, Sealed>['change'] = async (store, { tenant, id, ifMatch }, work) => {
    if (!pattern.test(id)) return { refused: 'not_found' };
    return store.transaction(async (tx) => {
      const [row] = await tx.query<Row & Sealed>(
        `SELECT ${columns}, ${sealed} FROM ${table} WHERE tenant = $1 AND id = $2 FOR UPDATE`,
        [tenant, id],
      );
      if (row === undefined) return { refused: 'not_found' };
      if (row.deleted_at !== null) return { refused: 'gone' };
      if (!matches(ifMatch, row)) return { refused: 'precondition_failed' };
      return { changed: await work(row, tx) };
    });
  };

  const note: ResourceTable<Row, Sealed>['note'] = async (tx, { tenant, id }, assignments, values = []) => {
    const [row] = await tx.query<Row>(
      `UPDATE ${table}
          SET ${assignments}, changed_at = clock_timestamp()
        WHERE tenant = $1 AND id = $2
        RETURNING ${columns}`,
      [tenant, id, ...values],
    );
    return row as Row;
  };
  const set: ResourceTable<Row, Sealed>['set'] = (tx, named, assignments, values) =>
    note(tx, named, `${assignments}, revision = revision + 1`, values);

  return {
    idPattern: pattern,
    change,
    set,
    note,
    async find(postgres, tenant, id) {
      if (!pattern.test(id)) return undefined;
      const [row] = await postgres.query<Row>(`SELECT ${columns} FROM ${table} WHERE tenant = $1 AND id = $2`, [
        tenant,
        id,
      ]);
      return row;
    },
    list(postgres, tenant, { after, limit }, conditions = () => []) {
      const values: unknown[] = [tenant, after, limit + 1];
      const more = conditions(bindTo(values)).map((condition) => ` AND ${condition}`);
      return postgres.query<Row>(
        `SELECT ${columns} FROM ${table}
          WHERE tenant = $1 AND NOT buried AND deleted_at IS NULL AND ($2::text IS NULL OR id > $2)${more.join('')}
          ORDER BY id
          LIMIT $3`,
        values,
      );
    },
    remove: (store, given, then) =>
      change(store, given, async (row, tx) => {
        await set(tx, given, 'deleted_at = clock_timestamp()');
        await then(row, tx);
      }),
  };
}
