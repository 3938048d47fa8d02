/**
 * The sources, in memory: a change is in force within `intervalMs` and the time of one reading, and what is known outlives an outage of
 * Postgres.
 *
 * An id that is not known is looked up before anyone is told that it does not exist, since its source may have been made a moment ago.
 * Anybody can send such ids, so however many come: an id of the wrong form never reaches the database, all that wait share a reading
 * (which begins after they asked), readings keep a distance, and only so many requests may wait.
 */
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import type { Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import { followTable, type Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';
import { readSource, type Source, type SourceRow } from './source.ts';

const intervalMs = 1_500;
const lookUpDistanceMs = 250;
/** Below the two seconds within which every webhook is answered. */
const lookUpTimeoutMs = 1_500;
const maxLookUps = 1_000;

/** The form of #lib/ids. */
const sourceId = /^src_[0-9a-hjkmnp-tv-z]{26}$/;

export interface SourceDirectory extends Part {
  /** From memory. */
  known(id: string): Source | undefined;
  /** Asks Postgres. `unavailable`: it can't be told at the moment. */
  lookUp(id: string): Promise<Source | 'unknown' | 'unavailable'>;
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

  let lookUps = 0;
  let lastLookUpMs = Number.NEGATIVE_INFINITY;
  let coming: Promise<void> | undefined;
  const awaitTurn = async (): Promise<void> => {
    const waitMs = lastLookUpMs + lookUpDistanceMs - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs);
  };
  const readSoon = (): Promise<void> =>
    (coming ??= awaitTurn().then(() => {
      // Who asks from here on needs a reading that begins later.
      coming = undefined;
      lastLookUpMs = clock.monotonicMs();
      return table.refresh();
    }));

  const known: SourceDirectory['known'] = (id) => sources.get(id)?.source;

  return {
    ...table,
    name: 'sources',
    known,
    async lookUp(id) {
      if (!sourceId.test(id)) return 'unknown';
      if (lookUps >= maxLookUps) return 'unavailable';
      lookUps += 1;
      const answered = new AbortController();
      try {
        const late = clock.sleep(lookUpTimeoutMs, answered.signal).then(() => 'late' as const);
        if ((await Promise.race([readSoon(), late])) === 'late') return 'unavailable';
        return known(id) ?? 'unknown';
      } catch (error) {
        log.debug({ event: 'source.not_looked_up', sourceId: id, err: toAppError(error) });
        return 'unavailable';
      } finally {
        answered.abort();
        lookUps -= 1;
      }
    },
  };
}
