/**
 * A table of configuration kept in memory: loaded whole at the start, then asked for what has changed. It outlives an outage of
 * Postgres with what it has; whoever needs it fresh asks how old the last successful reading is.
 *
 * Changes are found by `changed_at`, which is set before its transaction commits: each reading looks back over an overlap that is
 * longer than any such transaction, and so sees again what it knows, but misses nothing.
 */
import { untilAvailable } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { createPart, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Query } from './postgres.ts';

const overlap = '30 seconds';

export interface FollowedTable extends Part {
  /** When the last successful reading began, in the clock's monotonic milliseconds; -Infinity before the first. */
  freshAtMs(): number;
  /** Reads what has changed now; callers that come while a reading runs share the next one, which begins after they asked. */
  refresh(): Promise<void>;
}

interface Options<Row> {
  name: string;
  postgres: Query;
  clock: Clock;
  log: Logger;
  intervalMs: number;
  /** Selects the rows, with `WHERE changed_at >= $1` left for this lib to add. */
  select: string;
  onRows(rows: Row[]): void;
}

export function followTable<Row extends { changed_at: string }>(options: Options<Row>): FollowedTable {
  const { clock, log } = options;
  const stopping = new AbortController();
  let freshAtMs = Number.NEGATIVE_INFINITY;
  let newestChange = '-infinity';
  let reading: Promise<void> = Promise.resolve();
  let nextReading: Promise<void> | undefined;
  let polling: Promise<void> = Promise.resolve();

  const read = async (): Promise<void> => {
    const beganAtMs = clock.monotonicMs();
    const rows = await options.postgres.query<Row>(
      `${options.select} WHERE changed_at >= $1::timestamptz - interval '${overlap}'`,
      [newestChange],
    );
    for (const row of rows)
      if (newestChange === '-infinity' || row.changed_at > newestChange) newestChange = row.changed_at;
    options.onRows(rows);
    freshAtMs = beganAtMs;
  };

  const refresh = (): Promise<void> =>
    (nextReading ??= reading
      .catch(() => undefined)
      .then(() => {
        nextReading = undefined;
        reading = read();
        return reading;
      }));

  const poll = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await clock.sleep(options.intervalMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await refresh().catch((error: unknown) =>
        log.warn({ event: 'table.not_read', table: options.name, err: toAppError(error) }),
      );
    }
  };

  const part = createPart(
    `table ${options.name}`,
    async () => {
      await untilAvailable(refresh, {
        clock,
        signal: stopping.signal,
        onAway: (error) => log.warn({ event: 'table.not_read', table: options.name, err: error }),
      });
      polling = poll();
    },
    async () => {
      stopping.abort();
      await polling;
    },
  );
  return { ...part, stop: () => (stopping.abort(), part.stop()), freshAtMs: () => freshAtMs, refresh };
}
