/**
 * Links to the portal. A link is open until it is redeemed, which happens once and makes a session; until somebody revokes it, which ends that
 * session too; until its end; and while the key counts that it was made with.
 */
import type { Capability, PortalLink } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from '../resources/ids.ts';
import { counterOfOpen, keyCounts } from './session-rows.ts';

export interface PortalLinkRow extends Omit<PortalLink, 'status'> {
  key_id: string;
  operator_key: string | null;
  code_hash: Buffer;
  deleted_at: string | null;
  is_open: boolean;
}

export const portalLinkId = idPattern('lnk');

const isOpen = (fingerprints: string): string => `(
  l.deleted_at IS NULL AND l.redeemed_at IS NULL AND l.expires_at > clock_timestamp() AND ${keyCounts('l', fingerprints)})`;

const columns = (fingerprints: string): string =>
  `l.id, l.tenant, l.key_id, l.operator_key, l.capabilities, l.return_url, l.accent, l.code_hash, l.session_id, l.redeemed_at,
  l.created_at, l.expires_at, l.deleted_at, ${isOpen(fingerprints)} AS is_open`;

/** The link as clients see it: not its code, which is kept nowhere. */
export const portalLinkOf = (row: PortalLinkRow): PortalLink => ({
  id: row.id,
  tenant: row.tenant,
  status: statusOf(row),
  capabilities: row.capabilities,
  return_url: row.return_url,
  accent: row.accent,
  session_id: row.session_id,
  created_at: row.created_at,
  expires_at: row.expires_at,
  redeemed_at: row.redeemed_at,
});

function statusOf({ redeemed_at, is_open }: PortalLinkRow): PortalLink['status'] {
  if (redeemed_at !== null) return 'redeemed';
  return is_open ? 'open' : 'ended';
}

interface NewPortalLink {
  tenant: string;
  id: string;
  keyId: string;
  /** The fingerprint of the operator's key. */
  operatorKey: string | null;
  capabilities: readonly Capability[];
  returnUrl: string | null;
  accent: string | null;
  codeHash: Buffer;
  seconds: number;
}

export async function insertPortalLink(postgres: Query, link: NewPortalLink): Promise<PortalLinkRow> {
  const { tenant, id, keyId, operatorKey, capabilities, returnUrl, accent, codeHash, seconds } = link;
  const [row] = await postgres.query<PortalLinkRow>(
    `INSERT INTO portal_links AS l (tenant, id, key_id, operator_key, capabilities, return_url, accent, code_hash, created_at,
                                    expires_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, now.at, now.at + make_interval(secs => $9)
       FROM (SELECT clock_timestamp() AS at) AS now
     RETURNING ${columns('ARRAY[$4]')}`,
    [tenant, id, keyId, operatorKey, capabilities, returnUrl, accent, codeHash, seconds],
  );
  return row as PortalLinkRow;
}

export const countOpenLinks = counterOfOpen('portal_links l', isOpen('$2'));

/** The links that are not revoked, the oldest first. One more than the page holds. */
export const queryPortalLinks = (
  postgres: Query,
  tenant: string,
  fingerprints: readonly string[],
  { after, limit }: PageRequest,
): Promise<PortalLinkRow[]> =>
  postgres.query<PortalLinkRow>(
    `SELECT ${columns('$2')}
       FROM portal_links l
      WHERE l.tenant = $1 AND l.deleted_at IS NULL AND ($3::text IS NULL OR l.id > $3)
      ORDER BY l.id
      LIMIT $4`,
    [tenant, fingerprints, after, limit + 1],
  );

export async function findPortalLink(
  postgres: Query,
  id: string,
  { tenant, fingerprints, lock = false }: { tenant?: string; fingerprints: readonly string[]; lock?: boolean },
): Promise<PortalLinkRow | undefined> {
  if (!portalLinkId.test(id)) return undefined;
  const [row] = await postgres.query<PortalLinkRow>(
    `SELECT ${columns('$3')}
       FROM portal_links l
      WHERE l.id = $1 AND ($2::text IS NULL OR l.tenant = $2)
      ${lock ? 'FOR UPDATE' : ''}`,
    [id, tenant ?? null, fingerprints],
  );
  return row;
}

/** Revokes a link that is locked. */
export async function revokePortalLink(tx: Query, { tenant, id }: PortalLinkRow): Promise<void> {
  await tx.query('UPDATE portal_links SET deleted_at = clock_timestamp() WHERE tenant = $1 AND id = $2', [tenant, id]);
}

/** Notes that a link that is locked is redeemed, by this session. */
export async function noteRedeemed(
  tx: Query,
  { tenant, id }: PortalLinkRow,
  { sessionId, fingerprints }: { sessionId: string; fingerprints: readonly string[] },
): Promise<PortalLinkRow> {
  const [row] = await tx.query<PortalLinkRow>(
    `UPDATE portal_links l
        SET session_id = $3, redeemed_at = clock_timestamp()
      WHERE l.tenant = $1 AND l.id = $2
      RETURNING ${columns('$4')}`,
    [tenant, id, sessionId, fingerprints],
  );
  return row as PortalLinkRow;
}
