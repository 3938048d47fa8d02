/**
 * Several requests in one transaction:
 *
 *   1. try the lock of each key: a request that doesn't get it, or whose key has a record already, leaves the group
 *   2. the effects of the others, together
 *   3. their records with responses; then COMMIT
 *
 * The locks keep others from adding a record until the transaction ends, in whatever way: a group that dies, or freezes longer than
 * allowed, leaves neither effects nor records. If a record was committed between the snapshot of the first statement and its lock, the last
 * statement finds it, and the whole group is rolled back.
 *
 * The number of round trips is constant. All requests of the group wait for its COMMIT. Statements are pipelined where the pool allows it: a
 * group without keys, whose effects wait for no answer, is one round trip.
 */
import { type AppError, type CrashPoints, toAppError } from '#lib/runtime';
import { type HeldTransaction, holdTransaction, isAborted, isIdleTooLong } from './held-transaction.ts';
import { nestedTransactions, type Store } from './nested-transactions.ts';
import type { GroupEnding, IdempotencyStore, KeptResponse, KeyedRequest, WriteGroup } from './ports.ts';
import { lockIdOf } from './request-hash.ts';
import type { PostgresStoreOptions } from './postgres-store.ts';
import { sealResponse } from './sealed-response.ts';

// Each record is looked up separately: a join would be planned for the table's size when the statement was prepared.
const takeKeysSql = `
WITH lease AS MATERIALIZED (
  SELECT set_config('idle_in_transaction_session_timeout', $1, true)
), wanted AS MATERIALIZED (
  SELECT w.n, w.tenant, w.credential, w.key_hash, pg_try_advisory_xact_lock(w.lock_id) AS taken
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bytea[]) WITH ORDINALITY
      AS w (lock_id, tenant, credential, key_hash, n)
)
SELECT wanted.n::integer AS n
  FROM wanted, lease
 WHERE wanted.taken
   AND (SELECT true FROM idempotency_keys k
         WHERE k.tenant = wanted.tenant AND k.credential = wanted.credential AND k.key_hash = wanted.key_hash
         LIMIT 1) IS NULL`;

const keepAllSql = `
INSERT INTO idempotency_keys (tenant, credential, key_hash, request_hash, token, response, expires_at)
SELECT tenant, credential, key_hash, request_hash, token, response, clock_timestamp() + make_interval(secs => $7::float8)
  FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[])
    AS kept (tenant, credential, key_hash, request_hash, token, response)
ON CONFLICT (tenant, credential, key_hash) DO NOTHING
RETURNING 1`;

const tokenBytes = 16;

export function createGroupRun(
  options: PostgresStoreOptions & { crashPoints: CrashPoints },
): IdempotencyStore['runTogether'] {
  const { postgres, secretBox, random, lockSeconds, ttlSeconds, crashPoints } = options;

  /** @returns the places of the requests that run */
  async function takeKeys(tx: HeldTransaction, requests: readonly (KeyedRequest | undefined)[]): Promise<number[]> {
    const keyed = requests.flatMap((request, at) => (request === undefined ? [] : [{ request, at }]));
    const unkeyed = [...requests.keys()].filter((at) => requests[at] === undefined);
    if (keyed.length === 0) return unkeyed;
    const rows = await tx.query<{ n: number }>(
      takeKeysSql,
      [
        `${lockSeconds}s`,
        keyed.map(({ request }) => lockIdOf(request)),
        ...identityColumns(keyed.map(({ request }) => request)),
      ],
      'idempotency_take_keys',
    );
    const taken = rows.flatMap(({ n }) => keyed[n - 1]?.at ?? []);
    return [...taken, ...unkeyed].sort((a, b) => a - b);
  }

  /** False: another has added a record meanwhile. */
  async function keep(tx: HeldTransaction, answers: readonly Answered[]): Promise<boolean> {
    if (answers.length === 0) return true;
    const requests = answers.map(({ request }) => request);
    const rows = await tx.query(
      keepAllSql,
      [
        ...identityColumns(requests),
        requests.map(({ requestHash }) => requestHash),
        requests.map(() => random(tokenBytes)),
        answers.map(({ request, response }) => sealResponse(secretBox, request, response)),
        ttlSeconds,
      ],
      'idempotency_keep_group',
    );
    return rows.length === answers.length;
  }

  /** @returns the responses of the running requests, by their places; undefined if another request has added a record meanwhile */
  async function write(
    tx: HeldTransaction,
    requests: readonly (KeyedRequest | undefined)[],
    { running, work }: { running: readonly number[]; work: WriteGroup<Store> },
  ): Promise<Map<number, KeptResponse> | undefined> {
    const effects: Store = { query: (...statement) => tx.query(...statement), transaction: nestedTransactions(tx) };
    const responses = await work(effects, running);
    const answers = new Map(running.map((at, turn) => [at, responses[turn] as KeptResponse]));
    crashPoints.reach('idempotency-group.after-effects');
    const keyed = [...answers].flatMap(([at, response]) => {
      const request = requests[at];
      return request === undefined ? [] : [{ request, response }];
    });
    return (await keep(tx, keyed)) ? answers : undefined;
  }

  return async (requests, work) => {
    const all = (ending: GroupEnding): GroupEnding[] => requests.map(() => ending);
    const failed = (error: AppError): GroupEnding[] => {
      if (error.retryable) throw error;
      return all({ kind: 'alone', because: error });
    };
    const tx = await holdTransaction(postgres, { isPipelined: true });
    let answers: Map<number, KeptResponse> | undefined;
    try {
      const running = await takeKeys(tx, requests);
      crashPoints.reach('idempotency-group.after-keys');
      answers = running.length === 0 ? undefined : await write(tx, requests, { running, work });
    } catch (thrown) {
      await tx.rollback();
      if (isIdleTooLong(thrown)) return all({ kind: 'lost' });
      return failed(toAppError(thrown));
    }
    if (answers === undefined) {
      await tx.rollback();
      return all({ kind: 'alone' });
    }
    crashPoints.reach('idempotency-group.before-commit');
    try {
      await tx.commit();
    } catch (error) {
      if (isIdleTooLong(error)) return all({ kind: 'lost' });
      // The failure of an effect that was not waited for, or of the COMMIT itself.
      if (isAborted(error)) return failed(toAppError(error));
      return all({ kind: 'unknown' });
    }
    crashPoints.reach('idempotency-group.after-commit');
    return requests.map((_, at): GroupEnding => {
      const response = answers.get(at);
      return response === undefined ? { kind: 'alone' } : { kind: 'kept', response };
    });
  };
}

interface Answered {
  request: KeyedRequest;
  response: KeptResponse;
}

const identityColumns = (requests: readonly KeyedRequest[]): unknown[] => [
  requests.map(({ tenant }) => tenant),
  requests.map(({ credential }) => credential),
  requests.map(({ keyHash }) => keyHash),
];
