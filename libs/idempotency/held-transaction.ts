import type { Query } from '#lib/postgres';
import { AppError, isAppError } from '#lib/runtime';
import type { Store } from './nested-transactions.ts';

/** A transaction that stays open across calls (`transaction` ends with its function). Ends once. */
export interface HeldTransaction extends Query {
  /** @throws the error of COMMIT: see `isAborted` */
  commit(): Promise<void>;
  /** Never fails: a connection that can't roll back is closed, and the server does it. */
  rollback(): Promise<void>;
}

const rolledBack = new AppError('stopped', 'rolled back as asked');

/** @param how.isPipelined statements are sent without waiting for those before, where the pool allows it */
export async function holdTransaction(
  postgres: Pick<Store, 'transaction'>,
  how: { isPipelined?: boolean } = {},
): Promise<HeldTransaction> {
  const opened = Promise.withResolvers<Query>();
  const end = Promise.withResolvers<'commit' | 'rollback'>();
  let isEnding = false;
  const ended = postgres.transaction(async (tx) => {
    opened.resolve(tx);
    if ((await end.promise) === 'rollback') throw rolledBack;
  }, how);
  ended.catch(opened.reject);
  const tx = await opened.promise;

  const endBy = (how: 'commit' | 'rollback'): Promise<void> => {
    isEnding = true;
    end.resolve(how);
    return ended;
  };
  return {
    async query(...statement) {
      // The connection may be another's by now.
      if (isEnding) throw new AppError('bug', 'a statement after the end of its transaction');
      return tx.query(...statement);
    },
    commit: () => endBy('commit'),
    rollback: () => endBy('rollback').catch(() => undefined),
  };
}

const sqlStateOf = (error: unknown): string | undefined => {
  const cause = isAppError(error) ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === 'string' && /^[0-9A-Z]{5}$/.test(cause.code) ? cause.code : undefined;
};

/** The server has ended the connection, and with it the transaction, because it was idle for longer than it may. */
export const isIdleTooLong = (error: unknown): boolean => sqlStateOf(error) === '25P03';

/**
 * Whether a failed COMMIT surely committed nothing, because the server said so. Errors of a server that shuts down (class 57) or of the
 * connection (class 08, or no SQLSTATE at all) leave that open.
 */
export function isAborted(error: unknown): boolean {
  const sqlState = sqlStateOf(error);
  return sqlState !== undefined && !['08', '57'].includes(sqlState.slice(0, 2));
}
