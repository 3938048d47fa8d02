/**
 * The sessions, in memory like the keys: once known, one costs no query. A session counts only
 *
 * - until its end, and until two hours after its last use;
 * - until somebody ends it, which every process knows with its next request after 1.5 s, or sooner;
 * - while its key counts: an API key that is not revoked, or a key of the operator that is still set.
 *
 * A session whose code is not redeemed has no token yet, and is in nobody's memory.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Scope, Session } from '#lib/api-contract';
import { createRowLookUp, type FollowedRow, followTable, type LookUpRow, type Readings } from '#lib/postgres';
import { nowMicros, parseRfc3339, type Part } from '#lib/runtime';
import type { DirectoryOptions, KnownKey } from './key-directory.ts';
import { credentialHash, idInCredential } from './key-text.ts';
import type { Uses } from './key-uses.ts';
import { operatorCredential, type OperatorKeys } from './operator-keys.ts';

/** About; a portal session has up to 500 characters of an URL more. */
const rowBytes = 500;

/** A customer's session got this from its link: the column `portal`. */
export type Portal = NonNullable<Session['portal']>;

export interface KnownSession {
  id: string;
  /** `*`: all. */
  tenant: string;
  scopes: readonly Scope[];
  /** The key that it was made from; undefined: the operator's. */
  key: KnownKey | undefined;
  /** Set for a customer's session, which has no scopes. */
  portal: Portal | undefined;
  /** RFC 3339. */
  expiresAt: string;
}

export interface SessionDirectory extends Part, Pick<Readings, 'recent'> {
  /** Finds the session with this token. */
  find: LookUpRow<KnownSession>;
  /** From memory: whether a session that was found before has not ended. Its key is for the caller to look at. No use of it. */
  isOpen(id: string): boolean;
}

interface SessionRow extends FollowedRow {
  key_id: string;
  operator_key: string | null;
  scopes: Scope[];
  portal: Portal | null;
  hash: Buffer | null;
  expires_at: string;
  idle_expires_at: string;
  deleted_at: string | null;
}

interface Entry {
  row: SessionRow;
  hash: Buffer;
  endsAt: number;
  /** Moved by uses in this process at once, by those in others when they are written. */
  idleEndsAt: number;
}

interface Options extends DirectoryOptions {
  findKeyById: LookUpRow<KnownKey>;
  operatorKeys: Pick<OperatorKeys, 'fingerprints'>;
  /** Told of every use. */
  uses: Pick<Uses, 'note'>;
}

export function createSessionDirectory(options: Options): SessionDirectory {
  const { followPostgres, postgres, findKeyById, operatorKeys, uses, clock, log } = options;
  const entries = new Map<string, Entry>();
  const operatorFingerprints = new Set(operatorKeys.fingerprints);

  const take = (row: SessionRow): void => {
    const { id, hash } = row;
    const endsAt = parseRfc3339(row.expires_at) ?? 0;
    // One that was ended is kept until its own end, so that its token costs no query either.
    if (row.buried || hash === null || endsAt <= nowMicros(clock)) return void entries.delete(id);
    const idleEndsAt = Math.max(parseRfc3339(row.idle_expires_at) ?? 0, entries.get(id)?.idleEndsAt ?? 0);
    entries.set(id, { row, hash, endsAt, idleEndsAt });
  };
  const forgetEnded = (): void => {
    const now = nowMicros(clock);
    for (const [id, { endsAt }] of entries) if (endsAt <= now) entries.delete(id);
  };

  const table = followTable<SessionRow>({
    table: 'sessions',
    columns:
      'tenant, id, key_id, operator_key, scopes, portal, hash, expires_at, idle_expires_at, deleted_at, changed_at, buried',
    bytes: String(rowBytes),
    postgres: followPostgres,
    clock,
    log,
    knownChangedAt: ({ id }) => entries.get(id)?.row.changed_at,
    takeRows(rows) {
      forgetEnded();
      rows.forEach(take);
    },
  });
  const lookUp = createRowLookUp<SessionRow, Entry>({
    table,
    postgres,
    known: (id) => entries.get(id),
    buried: () => 'unknown',
    clock,
    log,
  });

  async function keyOf({
    key_id,
    operator_key,
  }: SessionRow): Promise<KnownKey | undefined | 'unknown' | 'unavailable'> {
    if (key_id !== operatorCredential) return findKeyById(key_id);
    return operatorFingerprints.has(operator_key ?? '') ? undefined : 'unknown';
  }

  return {
    ...table,
    async find(text) {
      const id = idInCredential('hs', text);
      if (id === undefined) return 'unknown';
      const reading = table.recent();
      if (reading !== undefined) await reading;
      const entry = entries.get(id) ?? (await lookUp(id));
      if (typeof entry === 'string') return entry;
      const { row } = entry;
      const now = nowMicros(clock);
      // The hashes have one length, and where they begin to differ is useless for guessing.
      if (!timingSafeEqual(credentialHash(text), entry.hash) || row.deleted_at !== null) return 'unknown';
      if (!isWithinTime(entry, now)) return 'unknown';
      const key = await keyOf(row);
      if (typeof key === 'string') return key;
      entry.idleEndsAt = now + idleSeconds * 1_000_000;
      uses.note(row);
      return {
        id,
        tenant: row.tenant,
        scopes: row.scopes,
        key,
        portal: row.portal ?? undefined,
        expiresAt: row.expires_at,
      };
    },
    isOpen(id) {
      const entry = entries.get(id);
      return entry !== undefined && entry.row.deleted_at === null && isWithinTime(entry, nowMicros(clock));
    },
  };
}

const isWithinTime = ({ endsAt, idleEndsAt }: Entry, now: number): boolean => now < endsAt && now < idleEndsAt;

/** A session ends when it has not been used for so long. */
export const idleSeconds = 2 * 3_600;
/** A code is redeemed by a program or a person who has just been given it. */
export const codeSeconds = 60;
