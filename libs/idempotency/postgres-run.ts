import { AppError, type CrashPoints, isAppError } from '#lib/runtime';
import { type HeldTransaction, isAborted, isIdleTooLong } from './held-transaction.ts';
import { nestedTransactions, type Store } from './nested-transactions.ts';
import type { Ending, KeptResponse, KeyedRequest, Run } from './ports.ts';
import { identityOf } from './request-hash.ts';
import type { PostgresStoreOptions } from './postgres-store.ts';
import { sealResponse } from './sealed-response.ts';

/** `$6`: null for a final answer, the lease's seconds for a provisional one. */
const keepSql = `
UPDATE idempotency_keys
SET response = $5, locked_until = clock_timestamp() + make_interval(secs => $6::float8),
    expires_at = clock_timestamp() + make_interval(secs => $7::float8)
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND token = $4
RETURNING 1`;

const renewSql = `
UPDATE idempotency_keys SET locked_until = clock_timestamp() + make_interval(secs => $5::float8)
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND token = $4 AND locked_until IS NOT NULL
RETURNING 1`;

const settleOwnSql = `
UPDATE idempotency_keys SET locked_until = NULL
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND token = $4
RETURNING 1`;

interface Options extends PostgresStoreOptions {
  crashPoints: CrashPoints;
  /** The row is its first statement. */
  tx: HeldTransaction;
  request: KeyedRequest;
  token: Buffer;
}

/**
 * | state       | commit             | complete            | release             | what handlers write goes to |
 * |-------------|--------------------|---------------------|---------------------|-----------------------------|
 * | open        | COMMIT: provisional | COMMIT: ended      | ROLLBACK: ended     | the transaction             |
 * | provisional |                    | by the token: ended | by the token: ended | the pool, one by one        |
 * | ended       |                    |                     |                     | nowhere: a bug              |
 */
export function createPostgresRun(options: Options): Run<Store> {
  const { postgres, secretBox, lockSeconds, ttlSeconds, crashPoints, tx, request, token } = options;
  const own = [...identityOf(request), token];
  const nested = nestedTransactions(tx);
  let state: 'open' | 'provisional' | 'ended' = 'open';
  let isLost = false;

  const noteLoss = (error: unknown): unknown => {
    isLost ||= isIdleTooLong(error);
    return error;
  };
  const inTransaction: Store = {
    query: (...statement) =>
      tx.query<never>(...statement).catch((error: unknown) => {
        throw noteLoss(error);
      }),
    transaction: (work) =>
      nested(work).catch((error: unknown) => {
        throw noteLoss(error);
      }),
  };
  const database = (): Store => {
    if (state === 'open') return inTransaction;
    if (state === 'provisional') return postgres;
    throw new AppError('bug', 'a statement after the answer of its request');
  };

  const keptValues = (response: KeptResponse, leaseSeconds: number | null): unknown[] => [
    ...own,
    sealResponse(secretBox, request, response),
    leaseSeconds,
    ttlSeconds,
  ];

  async function commitWith(response: KeptResponse, leaseSeconds: number | null): Promise<Ending> {
    crashPoints.reach('idempotency.after-effect');
    let rows: object[];
    try {
      rows = await inTransaction.query(keepSql, keptValues(response, leaseSeconds), 'idempotency_keep');
    } catch (error) {
      await tx.rollback();
      if (isLost) return 'lost';
      throw error;
    }
    if (rows.length === 0) {
      await tx.rollback();
      return 'lost';
    }
    crashPoints.reach('idempotency.before-commit');
    try {
      await tx.commit();
    } catch (error) {
      noteLoss(error);
      if (isLost) return 'lost';
      if (isAborted(error)) throw error;
      return 'unknown';
    }
    crashPoints.reach('idempotency.after-commit');
    return 'kept';
  }

  return {
    effects: {
      query: async (...statement) => database().query(...statement),
      transaction: async (work) => database().transaction(work),
    },
    async renew() {
      if (state === 'open') {
        // Any statement does: it is idleness that is limited.
        await inTransaction.query('SELECT').catch(() => undefined);
        return !isLost;
      }
      if (state === 'ended') return false;
      const rows = await postgres.query(renewSql, [...own, lockSeconds], 'idempotency_renew');
      return rows.length > 0;
    },
    async commit(provisional) {
      if (state !== 'open') throw new AppError('bug', 'committed twice');
      state = 'ended';
      const ending = await commitWith(provisional, lockSeconds);
      if (ending === 'kept') state = 'provisional';
      isLost = ending === 'lost';
      return ending;
    },
    async complete(response) {
      const before = state;
      state = 'ended';
      if (before === 'ended') return isLost ? 'lost' : 'unknown';
      if (before === 'open') return commitWith(response, null);
      try {
        const rows = await postgres.query(keepSql, keptValues(response, null), 'idempotency_keep');
        return rows.length > 0 ? 'kept' : 'lost';
      } catch (error) {
        if (isAppError(error, 'store_unavailable')) return 'unknown';
        throw error;
      }
    },
    async release() {
      const before = state;
      state = 'ended';
      if (before === 'open') await tx.rollback();
      // Away now, the lease's end does it.
      if (before === 'provisional') await postgres.query(settleOwnSql, own, 'idempotency_settle_own').catch(() => []);
      return isLost ? 'lost' : 'released';
    },
  };
}
