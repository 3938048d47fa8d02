/**
 * The record is a row in the transaction of the effect, and its first statement: after any crash, both exist or neither does.
 *
 * Until COMMIT nobody else sees the row. Others see the key's advisory lock, which the transaction takes with the row and the server
 * releases when the transaction ends, in whatever way. So a conflict is answered at once; waiting for the row would hold a connection per
 * request.
 *
 * The lease of a running transaction is the server's limit on its idle time; any statement renews it. When it is over, the server has
 * closed the connection. So an owner that was paused longer can't commit, and no clocks are compared. A dead owner's transaction ends with
 * its connection.
 *
 * Several requests may share one transaction (postgres-group.ts): the locks of all keys first, the records last.
 *
 * After an early commit the row is visible, and provisional until `locked_until`. Then the fencing token decides: a request that finds the
 * lease expired makes the response final under another token, and the late owner's update matches no row.
 *
 * All times are those of the database.
 */
import type { Query } from '#lib/postgres';
import { AppError, type CrashPoints, noCrashPoints, type RandomBytes } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { type HeldTransaction, holdTransaction } from './held-transaction.ts';
import type { Store } from './nested-transactions.ts';
import type { Begun, Found, IdempotencyStore, KeyedRequest } from './ports.ts';
import { createGroupRun } from './postgres-group.ts';
import { identityOf, lockIdOf } from './request-hash.ts';
import { createPostgresRun } from './postgres-run.ts';
import { openResponse } from './sealed-response.ts';

export interface PostgresStoreOptions {
  postgres: Store;
  secretBox: SecretBox;
  random: RandomBytes;
  lockSeconds: number;
  /** From the completion on. */
  ttlSeconds: number;
  crashPoints?: CrashPoints;
}

// Another's uncommitted row can't be met: its transaction has the lock. A row that is taken over is expired as of this very statement.
const beginSql = `
WITH lock AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock($1::bigint) AS taken,
         set_config('idle_in_transaction_session_timeout', $2, true)
), row AS (
  INSERT INTO idempotency_keys AS k (tenant, credential, key_hash, request_hash, token, expires_at)
  SELECT $3, $4, $5, $6, $7, 'infinity' FROM lock WHERE taken
  ON CONFLICT (tenant, credential, key_hash) DO UPDATE
  SET request_hash = excluded.request_hash, token = excluded.token, expires_at = excluded.expires_at,
      response = NULL, locked_until = NULL
  WHERE k.expires_at <= clock_timestamp()
  RETURNING 1
)
SELECT taken, EXISTS (SELECT FROM row) AS runs FROM lock`;

const findSql = `
SELECT request_hash, token, response, locked_until IS NOT NULL AS provisional,
       coalesce(locked_until > clock_timestamp(), false) AS leased,
       extract(epoch FROM expires_at - clock_timestamp())::float8 AS for_seconds
FROM idempotency_keys
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND expires_at > clock_timestamp()`;

const settleSql = `
UPDATE idempotency_keys SET token = $4, locked_until = NULL
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND token = $5 AND locked_until <= clock_timestamp()`;

interface Row {
  request_hash: Buffer;
  token: Buffer;
  response: Buffer;
  provisional: boolean;
  leased: boolean;
  for_seconds: number;
}

/** As `find` says, or: the answer is provisional and its owner's lease is over. */
type Seen = Found | { kind: 'abandoned'; token: Buffer };

const tokenBytes = 16;
const maxRounds = 10;

export function createPostgresStore(options: PostgresStoreOptions): IdempotencyStore {
  const { postgres, secretBox, random, lockSeconds, crashPoints = noCrashPoints } = options;

  async function look(query: Query, request: KeyedRequest): Promise<Seen> {
    const [row] = await query.query<Row>(findSql, identityOf(request), 'idempotency_find');
    if (row === undefined) return { kind: 'none' };
    if (row.leased) return { kind: 'in_progress' };
    if (!row.request_hash.equals(request.requestHash)) return { kind: 'other_request' };
    if (row.provisional) return { kind: 'abandoned', token: row.token };
    const response = openResponse(secretBox, request, row.response);
    return { kind: 'completed', response, forSeconds: row.for_seconds };
  }

  async function beginIn(tx: HeldTransaction, request: KeyedRequest): Promise<Seen | { kind: 'run'; token: Buffer }> {
    const token = random(tokenBytes);
    const [begun] = await tx.query<{ taken: boolean; runs: boolean }>(
      beginSql,
      [lockIdOf(request), `${lockSeconds}s`, ...identityOf(request), request.requestHash, token],
      'idempotency_begin',
    );
    if (begun?.runs === true) return { kind: 'run', token };
    const seen = await look(tx, request);
    return seen.kind === 'none' && begun?.taken === false ? { kind: 'in_progress' } : seen;
  }

  async function beginOnce(request: KeyedRequest): Promise<Begun<Store> | undefined> {
    const tx = await holdTransaction(postgres);
    let seen: Awaited<ReturnType<typeof beginIn>>;
    try {
      seen = await beginIn(tx, request);
    } catch (error) {
      await tx.rollback();
      throw error;
    }
    if (seen.kind === 'run') {
      crashPoints.reach('idempotency.after-row');
      return { kind: 'run', run: createPostgresRun({ ...options, crashPoints, tx, request, token: seen.token }) };
    }
    await tx.rollback();
    if (seen.kind === 'none') return undefined;
    if (seen.kind !== 'abandoned') return seen;
    await postgres.query(settleSql, [...identityOf(request), random(tokenBytes), seen.token], 'idempotency_settle');
    return undefined;
  }

  return {
    unkeyed: postgres,
    async begin(request) {
      // Each further round means that the row was changed between two statements, by another or by this one's own settling.
      for (let round = 0; round < maxRounds; round += 1) {
        const begun = await beginOnce(request);
        if (begun !== undefined) return begun;
      }
      throw new AppError('store_unavailable', `an idempotency record changed ${maxRounds} times while it was read`);
    },
    recall: async () => undefined,
    runTogether: createGroupRun({ ...options, crashPoints }),
    async find(request) {
      const seen = await look(postgres, request);
      return seen.kind === 'abandoned' ? { kind: 'in_progress' } : seen;
    },
  };
}
