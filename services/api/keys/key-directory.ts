/**
 * The keys, in memory: no request costs a query for its key. A revocation is in force within `intervalMs` and the time of one reading, in
 * every process; a key that was made a moment ago is looked up; while Postgres is away, those that are known go on.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '#lib/clock';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { createRowLookUp, followTable, type Query } from '#lib/postgres';
import type { Rate } from '#lib/rate-limit';
import { keyHash, keyIdOf } from './key-text.ts';
import type { Scope } from './scopes.ts';

const intervalMs = 1_500;

export interface KnownKey {
  id: string;
  tenant: string;
  scopes: readonly Scope[];
  /** Undefined: the rate of all that have none of their own. */
  rateLimit: Rate | undefined;
}

/** `unavailable`: it can't be told at the moment. */
export type FindKey = (text: string) => Promise<KnownKey | 'unknown' | 'unavailable'>;

export interface KeyDirectory extends Part {
  find: FindKey;
}

interface KeyRow {
  tenant: string;
  id: string;
  scopes: Scope[];
  hash: Buffer;
  rate_limit: { per_second: number; burst: number } | null;
  deleted_at: string | null;
  changed_at: string;
}

interface Entry {
  key: KnownKey;
  hash: Buffer;
  isRevoked: boolean;
}

interface Options {
  postgres: Query;
  clock: Clock;
  log: Logger;
}

export function createKeyDirectory({ postgres, clock, log }: Options): KeyDirectory {
  const entries = new Map<string, Entry>();

  const take = ({ tenant, id, scopes, hash, rate_limit, deleted_at }: KeyRow): void => {
    const rateLimit = rate_limit === null ? undefined : { perSecond: rate_limit.per_second, burst: rate_limit.burst };
    entries.set(id, { key: { id, tenant, scopes, rateLimit }, hash, isRevoked: deleted_at !== null });
  };
  const table = followTable<KeyRow>({
    name: 'api_keys',
    postgres,
    clock,
    log,
    intervalMs,
    select: 'SELECT tenant, id, scopes, hash, rate_limit, deleted_at, changed_at FROM api_keys',
    onRows: (rows) => rows.forEach(take),
  });
  const lookUp = createRowLookUp<Entry>({ table, known: (id) => entries.get(id), clock, log });

  return {
    ...table,
    async find(text) {
      const id = keyIdOf(text);
      if (id === undefined) return 'unknown';
      const entry = entries.get(id) ?? (await lookUp(id));
      if (typeof entry === 'string') return entry;
      // The hashes are of one length, and where they begin to differ is of no use to who guesses.
      return timingSafeEqual(keyHash(text), entry.hash) && !entry.isRevoked ? entry.key : 'unknown';
    },
  };
}
