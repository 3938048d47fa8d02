/**
 * The keys, in memory: no request costs a query for its key, and a request finds a reading that is at most 1.5 s old. So a revocation is effective
 * in every process within that; a new key is looked up; known keys keep working while Postgres is away.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Scope } from '#lib/api-contract';
import {
  createRowLookUp,
  type FollowedRow,
  followTable,
  type LookUpRow,
  type Query,
  type Readings,
} from '#lib/postgres';
import type { Rate } from '#lib/rate-limit';
import type { Clock, Logger, Part } from '#lib/runtime';
import { credentialHash, idInCredential } from './key-text.ts';

/** About; nothing in it is of a length that a tenant chooses. */
const rowBytes = 300;

export interface KnownKey {
  id: string;
  tenant: string;
  scopes: readonly Scope[];
  /** Undefined: the default rate. */
  rateLimit: Rate | undefined;
}

export interface KeyDirectory extends Part, Pick<Readings, 'recent'> {
  /** Finds the key with this text. */
  find: LookUpRow<KnownKey>;
  /** The same by the id, for what belongs to the key. */
  findById: LookUpRow<KnownKey>;
  /** The key from memory, where it was found before; undefined: it counts no more. */
  known(id: string): KnownKey | undefined;
}

interface KeyRow extends FollowedRow {
  scopes: Scope[];
  hash: Buffer;
  rate_limit: { per_second: number; burst: number } | null;
  deleted_at: string | null;
}

interface Entry {
  key: KnownKey;
  hash: Buffer;
  isRevoked: boolean;
  changedAt: string;
}

export interface DirectoryOptions {
  /** For the readings of the whole table, which may take long. */
  followPostgres: Query;
  /** For look-ups that callers wait for. */
  postgres: Query;
  clock: Clock;
  log: Logger;
}

export function createKeyDirectory({ followPostgres, postgres, clock, log }: DirectoryOptions): KeyDirectory {
  const entries = new Map<string, Entry>();

  const take = ({ tenant, id, scopes, hash, rate_limit, deleted_at, changed_at, buried }: KeyRow): void => {
    if (buried) return void entries.delete(id);
    const rateLimit = rate_limit === null ? undefined : { perSecond: rate_limit.per_second, burst: rate_limit.burst };
    const key = { id, tenant, scopes, rateLimit };
    entries.set(id, { key, hash, isRevoked: deleted_at !== null, changedAt: changed_at });
  };
  const table = followTable<KeyRow>({
    table: 'api_keys',
    columns: 'tenant, id, scopes, hash, rate_limit, deleted_at, changed_at, buried',
    bytes: String(rowBytes),
    postgres: followPostgres,
    clock,
    log,
    knownChangedAt: ({ id }) => entries.get(id)?.changedAt,
    takeRows: (rows) => rows.forEach(take),
  });
  const lookUp = createRowLookUp<KeyRow, Entry>({
    table,
    postgres,
    known: (id) => entries.get(id),
    buried: () => 'unknown',
    clock,
    log,
  });

  const findEntry: LookUpRow<Entry> = async (id) => {
    const reading = table.recent();
    if (reading !== undefined) await reading;
    return entries.get(id) ?? lookUp(id);
  };

  return {
    ...table,
    async find(text) {
      const id = idInCredential('hk', text);
      const entry = id === undefined ? 'unknown' : await findEntry(id);
      if (typeof entry === 'string') return entry;
      // The hashes have one length, and where they begin to differ is useless for guessing.
      return timingSafeEqual(credentialHash(text), entry.hash) && !entry.isRevoked ? entry.key : 'unknown';
    },
    async findById(id) {
      const entry = await findEntry(id);
      if (typeof entry === 'string') return entry;
      return entry.isRevoked ? 'unknown' : entry.key;
    },
    known(id) {
      const entry = entries.get(id);
      return entry?.isRevoked === false ? entry.key : undefined;
    },
  };
}
