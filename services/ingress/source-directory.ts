/**
 * The sources, in memory: a change is in force within `intervalMs` and the time of one reading, and what is known outlives an outage of
 * Postgres.
 *
 * An id that is not known is looked up before anyone is told that it does not exist, since its source may have been made a moment ago; one
 * of the wrong form never reaches the database.
 */
import type { Clock } from '#lib/clock';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { createRowLookUp, followTable, type LookUpRow, type Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { readSource, type Source, type SourceRow } from './source.ts';

const intervalMs = 1_500;

/** The form of #lib/ids. */
const sourceId = /^src_[0-9a-hjkmnp-tv-z]{26}$/;

export interface SourceDirectory extends Part {
  /** From memory. */
  known(id: string): Source | undefined;
  lookUp: LookUpRow<Source>;
}

interface Options {
  postgres: Query;
  secretBox: SecretBox;
  clock: Clock;
  log: Logger;
}

export function createSourceDirectory({ postgres, secretBox, clock, log }: Options): SourceDirectory {
  const sources = new Map<string, { source: Source; changedAt: string }>();

  const take = (row: SourceRow): void => {
    // Each reading overlaps the last: most rows are known, and opening a secret costs more than comparing a time.
    if (sources.get(row.id)?.changedAt === row.changed_at) return;
    const read = readSource(row, secretBox);
    if ('problem' in read) log.error({ event: 'source.unusable', sourceId: row.id, tenant: row.tenant, ...read });
    const source = 'source' in read ? read.source : ({ state: 'unusable', id: row.id, tenant: row.tenant } as const);
    sources.set(row.id, { source, changedAt: row.changed_at });
  };

  const table = followTable<SourceRow>({
    name: 'sources',
    postgres,
    clock,
    log,
    intervalMs,
    select: 'SELECT tenant, id, scheme, settings, secrets, deleted_at, changed_at FROM sources',
    onRows: (rows) => rows.forEach(take),
  });

  const known: SourceDirectory['known'] = (id) => sources.get(id)?.source;
  const lookUp = createRowLookUp({ table, known, clock, log });

  return {
    ...table,
    name: 'sources',
    known,
    lookUp: async (id) => (sourceId.test(id) ? lookUp(id) : 'unknown'),
  };
}
