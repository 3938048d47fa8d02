/**
 * Finds a row of a followed table that is not in memory, before anyone is told that it does not exist: it may have been made a moment ago,
 * or be gone for long.
 *
 * Anybody can send ids that are unknown, so however many come: all that wait share a statement (which begins after they asked), statements
 * keep a distance, only so many requests may wait, and nothing is kept of what was not found. Ids of the wrong form are for the caller to
 * turn away.
 */
import { type Clock, type Logger, toAppError } from '#lib/runtime';
import type { FollowedRow, FollowedTable } from './follow-table.ts';
import type { Query } from './postgres.ts';

const distanceMs = 250;
/** Below the two seconds within which every webhook is answered. */
const timeoutMs = 1_500;
const maxWaiting = 1_000;

/** Asks Postgres. `unavailable`: it can't be told at the moment. */
export type LookUpRow<T> = (id: string) => Promise<T | 'unknown' | 'unavailable'>;

interface Options<Row extends FollowedRow, T> {
  table: Pick<FollowedTable<Row>, 'name' | 'readIds'>;
  /** Its statements must end before the callers give up. */
  postgres: Query;
  /** From memory. */
  known(id: string): T | undefined;
  /** The answer for a row that is in nobody's memory any more. */
  buried(row: Row): T | 'unknown';
  clock: Clock;
  log: Logger;
}

interface Reading<Row> {
  ids: Set<string>;
  rows: Promise<ReadonlyMap<string, Row>>;
}

export function createRowLookUp<Row extends FollowedRow, T>(options: Options<Row, T>): LookUpRow<T> {
  const { table, postgres, known, clock, log } = options;
  let waiting = 0;
  let lastReadingMs = Number.NEGATIVE_INFINITY;
  let coming: Reading<Row> | undefined;
  let before: Promise<unknown> = Promise.resolve();

  const awaitTurn = async (): Promise<void> => {
    const waitMs = lastReadingMs + distanceMs - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs);
  };
  function nextReading(): Reading<Row> {
    const ids = new Set<string>();
    const rows = before
      .catch(() => undefined)
      .then(awaitTurn)
      .then(async () => {
        // Callers from here on need a reading that begins later.
        coming = undefined;
        lastReadingMs = clock.monotonicMs();
        const found = await table.readIds([...ids], postgres);
        return new Map(found.map((row) => [row.id, row]));
      });
    before = rows;
    return { ids, rows };
  }
  const readSoon = (id: string): Reading<Row>['rows'] => {
    coming ??= nextReading();
    coming.ids.add(id);
    return coming.rows;
  };

  return async (id) => {
    if (waiting >= maxWaiting) return 'unavailable';
    waiting += 1;
    const answered = new AbortController();
    try {
      const late = clock.sleep(timeoutMs, answered.signal).then(() => 'late' as const);
      const rows = await Promise.race([readSoon(id), late]);
      if (rows === 'late') return 'unavailable';
      const row = rows.get(id);
      return known(id) ?? (row?.buried === true ? options.buried(row) : 'unknown');
    } catch (error) {
      log.debug({ event: 'row.not_looked_up', table: table.name, id, err: toAppError(error) });
      return 'unavailable';
    } finally {
      answered.abort();
      waiting -= 1;
    }
  };
}
