import type { Scope, Session } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import { type Clock, formatMicros, nowMicros } from '#lib/runtime';
import type { PageRequest } from '../http/paging.ts';
import { operatorCredential } from '../keys/operator-keys.ts';
import { codeSeconds, idleSeconds, type KnownSession, type Portal } from '../keys/session-directory.ts';
import { idPattern } from '../resources/ids.ts';

export interface SessionRow extends Omit<Session, 'redeemed'> {
  /** Null: its code is not redeemed yet. */
  hash: Buffer | null;
  code_hash: Buffer | null;
  code_expires_at: string | null;
  deleted_at: string | null;
  is_open: boolean;
}

export const sessionId = idPattern('ses');

/**
 * Whether a session `s` can be used, or its code be redeemed: keys/session-directory.ts vets tokens by the same.
 *
 * @param fingerprints the parameter with those of the operator's keys
 */
const isOpen = (fingerprints: string): string => `(
  s.deleted_at IS NULL AND least(s.expires_at, s.idle_expires_at) > clock_timestamp()
  AND (s.hash IS NOT NULL OR s.code_expires_at > clock_timestamp())
  AND ${keyCounts('s', fingerprints)})`;

/** Whether the key counts that a row was made from. */
export const keyCounts = (row: string, fingerprints: string): string => `
  CASE WHEN ${row}.key_id = '${operatorCredential}' THEN ${row}.operator_key = ANY (${fingerprints}::text[])
       ELSE EXISTS (SELECT FROM api_keys k WHERE k.id = ${row}.key_id AND k.deleted_at IS NULL) END`;

const columns = `s.id, s.tenant, s.key_id, s.scopes, s.portal, s.hash, s.code_hash, s.code_expires_at, s.created_at, s.expires_at,
  s.idle_expires_at, s.deleted_at`;

/** The session as clients see it: not its token, which is kept nowhere. */
export const sessionOf = (row: SessionRow): Session => ({
  id: row.id,
  tenant: row.tenant,
  key_id: row.key_id,
  scopes: row.scopes,
  portal: row.portal,
  redeemed: row.hash !== null,
  created_at: row.created_at,
  expires_at: row.expires_at,
  idle_expires_at: row.idle_expires_at,
});

/** The portal of the session of a request, in the order of the contract: `jsonb` keeps none. */
export const shownPortal = ({ link_id, capabilities, return_url, accent }: Portal): Portal => ({
  link_id,
  capabilities,
  return_url,
  accent,
});

/** The ends of the session of a request, which is its last use. */
export const sessionEnds = (
  { expiresAt }: KnownSession,
  clock: Clock,
): Pick<Session, 'expires_at' | 'idle_expires_at'> => {
  const idleExpiresAt = formatMicros(nowMicros(clock) + idleSeconds * 1_000_000);
  return { expires_at: expiresAt, idle_expires_at: idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt };
};

export interface NewSession {
  tenant: string;
  id: string;
  keyId: string;
  /** The fingerprint of the operator's key. */
  operatorKey: string | null;
  scopes: readonly Scope[];
  portal: Portal | null;
  /** The hash of the token, or of the code that is redeemed for one. */
  hash: Buffer;
  isCode: boolean;
  seconds: number;
}

const lapsedAtOnce = 10;

export async function insertSession(postgres: Query, session: NewSession): Promise<SessionRow> {
  const { tenant, id, keyId, operatorKey, scopes, portal, hash, isCode, seconds } = session;
  // Codes that nobody redeemed in time were never a session: without this, those of a busy program would be looked through at each count.
  const [row] = await postgres.query<SessionRow>(
    `WITH lapsed AS (
       DELETE FROM sessions
        WHERE (tenant, id) IN (SELECT tenant, id FROM sessions
                                WHERE tenant = $1 AND hash IS NULL AND code_expires_at < clock_timestamp()
                                ORDER BY code_expires_at LIMIT ${lapsedAtOnce} FOR UPDATE SKIP LOCKED))
     INSERT INTO sessions AS s (tenant, id, key_id, operator_key, scopes, hash, code_hash, code_expires_at, created_at,
                                expires_at, idle_expires_at, changed_at, portal)
     SELECT $1, $2, $3, $4, $5, CASE WHEN NOT $7 THEN $6::bytea END, CASE WHEN $7 THEN $6::bytea END,
            CASE WHEN $7 THEN now.at + make_interval(secs => $8) END, now.at,
            now.at + make_interval(secs => $9), now.at + make_interval(secs => least($9, $10)), now.at, $11::jsonb
       FROM (SELECT clock_timestamp() AS at) AS now
     RETURNING ${columns}, true AS is_open`,
    [
      tenant,
      id,
      keyId,
      operatorKey,
      scopes,
      hash,
      isCode,
      codeSeconds,
      seconds,
      idleSeconds,
      portal && JSON.stringify(portal),
    ],
  );
  return row as SessionRow;
}

/** Counts the rows of a tenant that are open, as far as that matters. @param isOpenRow with `$2` as the fingerprints */
export const counterOfOpen =
  (table: string, isOpenRow: string) =>
  async (postgres: Query, tenant: string, fingerprints: readonly string[], most: number): Promise<number> => {
    const [row] = await postgres.query<{ open: number }>(
      `SELECT count(*)::int AS open
         FROM (SELECT FROM ${table} WHERE tenant = $1 AND ${isOpenRow} LIMIT $3) AS open`,
      [tenant, fingerprints, most],
    );
    return row?.open ?? 0;
  };

export const countOpenSessions = counterOfOpen('sessions s', isOpen('$2'));

/** The open sessions, the oldest first. One more than the page holds. */
export const querySessions = (
  postgres: Query,
  tenant: string,
  fingerprints: readonly string[],
  { after, limit }: PageRequest,
): Promise<SessionRow[]> =>
  postgres.query<SessionRow>(
    `SELECT ${columns}, true AS is_open
       FROM sessions s
      WHERE s.tenant = $1 AND ${isOpen('$2')} AND ($3::text IS NULL OR s.id > $3)
      ORDER BY s.id
      LIMIT $4`,
    [tenant, fingerprints, after, limit + 1],
  );

/** Locks the session of one of the tenants, or of any. */
export async function lockSession(
  tx: Query,
  id: string,
  { tenants, fingerprints }: { tenants?: readonly string[]; fingerprints: readonly string[] },
): Promise<SessionRow | undefined> {
  const [row] = await tx.query<SessionRow>(
    `SELECT ${columns}, ${isOpen('$3')} AS is_open
       FROM sessions s
      WHERE s.id = $1 AND ($2::text[] IS NULL OR s.tenant = ANY ($2))
        FOR UPDATE`,
    [id, tenants ?? null, fingerprints],
  );
  return row;
}

/** Ends a session that is locked. */
export async function endSession(tx: Query, { tenant, id }: Pick<SessionRow, 'tenant' | 'id'>): Promise<void> {
  await tx.query(
    'UPDATE sessions SET deleted_at = clock_timestamp(), changed_at = clock_timestamp() WHERE tenant = $1 AND id = $2',
    [tenant, id],
  );
}

/** Gives a session that is locked its token: the code is used up. */
export async function redeemCode(tx: Query, { tenant, id }: SessionRow, hash: Buffer): Promise<SessionRow> {
  const [row] = await tx.query<SessionRow>(
    `UPDATE sessions s
        SET hash = $3, code_hash = NULL, code_expires_at = NULL, changed_at = clock_timestamp(),
            idle_expires_at = least(s.expires_at, clock_timestamp() + make_interval(secs => $4))
      WHERE s.tenant = $1 AND s.id = $2
      RETURNING ${columns}, true AS is_open`,
    [tenant, id, hash, idleSeconds],
  );
  return row as SessionRow;
}
