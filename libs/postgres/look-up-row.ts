/**
 * Finds a row of a followed table that may have been made a moment ago, before anyone is told that it does not exist.
 *
 * Anybody can send ids that are unknown, so however many come: all that wait share a reading (which begins after they asked), readings keep
 * a distance, and only so many requests may wait. Ids of the wrong form are for the caller to turn away.
 */
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import type { Logger } from '#lib/log';
import type { FollowedTable } from './follow-table.ts';

const distanceMs = 250;
/** Below the two seconds within which every webhook is answered. */
const timeoutMs = 1_500;
const maxWaiting = 1_000;

/** Asks Postgres. `unavailable`: it can't be told at the moment. */
export type LookUpRow<T> = (id: string) => Promise<T | 'unknown' | 'unavailable'>;

interface Options<T> {
  table: Pick<FollowedTable, 'name' | 'refresh'>;
  /** From memory. */
  known(id: string): T | undefined;
  clock: Clock;
  log: Logger;
}

export function createRowLookUp<T>({ table, known, clock, log }: Options<T>): LookUpRow<T> {
  let waiting = 0;
  let lastReadingMs = Number.NEGATIVE_INFINITY;
  let coming: Promise<void> | undefined;
  const awaitTurn = async (): Promise<void> => {
    const waitMs = lastReadingMs + distanceMs - clock.monotonicMs();
    if (waitMs > 0) await clock.sleep(waitMs);
  };
  const readSoon = (): Promise<void> =>
    (coming ??= awaitTurn().then(() => {
      // Who asks from here on needs a reading that begins later.
      coming = undefined;
      lastReadingMs = clock.monotonicMs();
      return table.refresh();
    }));

  return async (id) => {
    if (waiting >= maxWaiting) return 'unavailable';
    waiting += 1;
    const answered = new AbortController();
    try {
      const late = clock.sleep(timeoutMs, answered.signal).then(() => 'late' as const);
      if ((await Promise.race([readSoon(), late])) === 'late') return 'unavailable';
      return known(id) ?? 'unknown';
    } catch (error) {
      log.debug({ event: 'row.not_looked_up', table: table.name, id, err: toAppError(error) });
      return 'unavailable';
    } finally {
      answered.abort();
      waiting -= 1;
    }
  };
}
