import type { Candidate, KeyRow, KeyTable } from '#lib/dedup-store';
import { AppError } from '#lib/runtime';
import { locked } from '../projector/store-errors.ts';

export interface FakeKeyTable extends KeyTable {
  state: 'up' | 'away';
  calls: string[];
  /** Tenants whose rows are locked for longer than a statement waits. */
  locked: Set<string>;
  /** Candidates that no statement can take. */
  refuses: (candidate: Candidate) => boolean;
  row(candidate: Candidate): KeyRow | undefined;
  /** Loses all rows, as a restored database does. */
  forget(): void;
}

/** @param nowMs the database's clock */
export function createFakeKeyTable(nowMs: () => number): FakeKeyTable {
  const rows = new Map<string, KeyRow>();
  const nameOf = ({ tenant, key }: Candidate): string => `${tenant}/${key.toString('hex')}`;

  const statement = async <T>(name: string, candidates: readonly Candidate[], work: () => T): Promise<T> => {
    fake.calls.push(name);
    if (fake.state === 'away') throw new AppError('store_unavailable', 'the fake is away');
    if (candidates.some(({ tenant }) => fake.locked.has(tenant))) throw locked();
    if (candidates.some((candidate) => fake.refuses(candidate))) throw new AppError('data_invalid', 'the fake refuses');
    return work();
  };
  const rowFor = ({ eventId, bodyHash }: Candidate, generation: number): KeyRow => ({
    eventId,
    bodyHash,
    generation,
    expiresAt: null,
  });

  const fake: FakeKeyTable = {
    state: 'up',
    calls: [],
    locked: new Set(),
    refuses: () => false,
    row: (candidate) => rows.get(nameOf(candidate)),
    forget: () => rows.clear(),
    insert: (candidates) =>
      statement('insert', candidates, () =>
        candidates.map((candidate) => {
          if (rows.has(nameOf(candidate))) return false;
          rows.set(nameOf(candidate), rowFor(candidate, 0));
          return true;
        }),
      ),
    read: (candidates) =>
      statement('read', candidates, () =>
        candidates.map((candidate) => {
          const row = rows.get(nameOf(candidate));
          return row && { ...row };
        }),
      ),
    takeOver: (wanted) =>
      statement('takeOver', [], () =>
        wanted.map(({ candidate, generation }) => {
          const row = rows.get(nameOf(candidate));
          const expired = row !== undefined && row.expiresAt !== null && row.expiresAt <= candidate.receivedAt;
          if (!expired || row.generation !== generation) return false;
          rows.set(nameOf(candidate), rowFor(candidate, generation + 1));
          return true;
        }),
      ),
    complete: (candidates) =>
      statement('complete', candidates, () => {
        // Postgres: 21000, a command can't affect a row a second time.
        if (new Set(candidates.map(nameOf)).size < candidates.length)
          throw new AppError('store_unavailable', 'a key is there twice');
        return candidates.map((candidate) => {
          const row = rows.get(nameOf(candidate)) ?? rowFor(candidate, 0);
          if (row.eventId !== candidate.eventId || row.expiresAt !== null) return undefined;
          const expiresAt = (nowMs() + candidate.ttlSeconds * 1000) * 1000;
          rows.set(nameOf(candidate), { ...row, expiresAt });
          return expiresAt;
        });
      }),
    remove: (candidate) =>
      statement('remove', [candidate], () => {
        const row = rows.get(nameOf(candidate));
        if (row?.eventId === candidate.eventId && row.expiresAt === null) rows.delete(nameOf(candidate));
      }),
    dropExpired: (keepSeconds, limit) =>
      statement('dropExpired', [], () => {
        const before = (nowMs() - keepSeconds * 1000) * 1000;
        const old = [...rows].filter(([, row]) => row.expiresAt !== null && row.expiresAt < before).slice(0, limit);
        for (const [name] of old) rows.delete(name);
        return old.length;
      }),
  };
  return fake;
}
