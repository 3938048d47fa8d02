import type { Postgres, Query } from '#lib/postgres';

export type Store = Pick<Postgres, 'query' | 'transaction'>;

/**
 * Transactions within an open one: each is a savepoint, so a failure rolls back only its own statements. They run one after the other,
 * since savepoints of one connection can't run side by side.
 */
export function nestedTransactions(outer: Query): Store['transaction'] {
  let last: Promise<unknown> = Promise.resolve();

  const runNested = async <T>(work: (tx: Query) => Promise<T>): Promise<T> => {
    await outer.query('SAVEPOINT nested');
    try {
      const result = await work(outer);
      await outer.query('RELEASE SAVEPOINT nested');
      return result;
    } catch (error) {
      // If even this fails the connection is gone, and with it the whole transaction.
      await outer.query('ROLLBACK TO SAVEPOINT nested').catch(() => undefined);
      await outer.query('RELEASE SAVEPOINT nested').catch(() => undefined);
      throw error;
    }
  };

  return (work) => {
    const turn = last.then(() => runNested(work));
    last = turn.catch(() => undefined);
    return turn;
  };
}
