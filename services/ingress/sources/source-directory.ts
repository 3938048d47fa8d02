/**
 * The sources, in memory. A webhook finds a reading that is at most 1.5 s old, so a change is effective within that, and known sources survive an
 * outage of Postgres.
 *
 * An unknown id is looked up before it is answered, since its source may be new, or deleted so long ago that it is not in memory any more;
 * a malformed id never reaches the database.
 */
import { createRowLookUp, followTable, type LookUpRow, type Query, type Readings } from '#lib/postgres';
import { type Clock, type Logger, microsOf, type Part } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import { readSource, type Source, type SourceRow } from './source.ts';

/** Senders wait for it. A reading takes milliseconds. */
const waitMs = 250;

/** The form of libs/runtime. */
const sourceId = /^src_[0-9a-hjkmnp-tv-z]{26}$/;

export interface SourceDirectory extends Part, Pick<Readings, 'recent'> {
  /** From memory. */
  known(id: string): Source | undefined;
  lookUp: LookUpRow<Source>;
  /** The sources that are marked as rejecting, and since when. */
  rejecting(): Iterable<{ tenant: string; id: string; sinceMs: number }>;
}

/** Made ready with its first webhook: to open a secret and to compile what is set takes 50 µs, too long for all of 300,000 at the start. */
type Entry = { changedAt: string } & ({ row: SourceRow } | { source: Source });

interface Options {
  /** For the readings of the whole table, which may take long. */
  followPostgres: Query;
  /** For look-ups, which senders wait for. */
  postgres: Query;
  secretBox: SecretBox;
  clock: Clock;
  log: Logger;
}

export function createSourceDirectory({ followPostgres, postgres, secretBox, clock, log }: Options): SourceDirectory {
  const entries = new Map<string, Entry>();
  const rejecting = new Map<string, { tenant: string; id: string; sinceMs: number }>();

  function read(row: SourceRow): Source {
    const read = readSource(row, secretBox);
    if ('source' in read) return read.source;
    log.error({ event: 'source.unusable', sourceId: row.id, tenant: row.tenant, ...read });
    return { state: 'unusable', id: row.id, tenant: row.tenant };
  }

  const take = (row: SourceRow): void => {
    const { tenant, id, rejecting_since: since, deleted_at } = row;
    if (since === null || deleted_at !== null) rejecting.delete(id);
    else rejecting.set(id, { tenant, id, sinceMs: microsOf(since) / 1_000 });
    if (row.buried) entries.delete(row.id);
    else entries.set(row.id, { changedAt: row.changed_at, row });
  };

  const table = followTable<SourceRow>({
    table: 'sources',
    columns: 'tenant, id, scheme, settings, secrets, deleted_at, changed_at, buried, rejecting_since, dedup_rule',
    bytes: 'bytes',
    postgres: followPostgres,
    clock,
    log,
    waitMs,
    knownChangedAt: ({ id }) => entries.get(id)?.changedAt,
    takeRows: (rows) => rows.forEach(take),
  });

  const known: SourceDirectory['known'] = (id) => {
    const entry = entries.get(id);
    if (entry === undefined) return undefined;
    if ('source' in entry) return entry.source;
    const source = read(entry.row);
    entries.set(id, { changedAt: entry.changedAt, source });
    return source;
  };
  const buried = ({ id, tenant }: SourceRow): Source => ({ state: 'deleted', id, tenant });
  const lookUp = createRowLookUp<SourceRow, Source>({ table, postgres, known, buried, clock, log });

  return {
    ...table,
    name: 'sources',
    known,
    rejecting: () => rejecting.values(),
    lookUp: async (id) => (sourceId.test(id) ? lookUp(id) : 'unknown'),
  };
}
