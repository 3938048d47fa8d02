/**
 * A table of configuration kept in memory: loaded whole at the start, then asked for what has changed when somebody needs it (readings.ts). It
 * outlives an outage of Postgres with what it has; whoever needs it fresh asks how old the last successful reading is.
 *
 *   whole: a snapshot is taken  ──►  pages of rows, by their key  ──►  what has changed since the snapshot  ──►  it is fresh
 *   then:  the keys of the rows that are not visible in the last snapshot, and a new snapshot (one statement)  ──►  those rows, in pages
 *
 * A row names the transaction that last changed it (`changed_in`, set by a trigger). A transaction that commits late, however late, was not
 * visible in the snapshots before, and is found by the first reading after its commit; no clock takes part, and nothing is read twice. All
 * keys come from one statement, so that a row that changes between two pages is not passed over: docs/adr/0020-following-tables.md.
 */
import { type Clock, createPart, type Logger, microsOf, type Part, toAppError, untilAvailable } from '#lib/runtime';
import type { Query } from './postgres.ts';
import { createReadings, type Readings } from './readings.ts';
import { createTablePages, type FollowedTableName, type Key, type Position, withMargin } from './table-pages.ts';

/** The columns that every followed row has. */
export interface FollowedRow extends Key {
  changed_at: string;
  /** Deleted so long ago that nobody needs it in memory: it is to be removed there. */
  buried: boolean;
}

export interface FollowedTable<Row extends FollowedRow = FollowedRow> extends Part, Readings {
  /**
   * Whether the last reading is recent, and either as of this time by the clock of Postgres, or one that began after `sinceMs`. No other clock is
   * asked, so that a time which lies ahead, by the clock of another host, is waited for by nobody.
   *
   * @param at in microseconds @param sinceMs in the clock's monotonic milliseconds
   */
  isAsOf(at: number, sinceMs: number): boolean;
  /** Makes `isAsOf` true for callers of now. Readings keep a distance, should every time lie ahead. @throws AppError store_unavailable */
  readAsOfNow(): Promise<void>;
  /** Takes the rows of these ids as they are now, ahead of the next reading, and gives them, buried ones too. */
  readIds(ids: readonly string[], postgres: Query): Promise<Row[]>;
}

interface Options<Row> {
  table: FollowedTableName;
  /** The columns of `Row`. */
  columns: string;
  /** The size that a row counts for in a page, as an SQL expression. */
  bytes: string;
  /** A pool of its own: a page may take long, and nobody else should wait for it. */
  postgres: Query;
  clock: Clock;
  log: Logger;
  /** The longest that a caller of `recent` waits. */
  waitMs?: number;
  /** `changed_at` of the row as last taken: an older or equal one that comes later is not taken. */
  knownChangedAt(key: Key): string | undefined;
  /**
   * Rows for which it fails are read again.
   *
   * @param anew the rows are those of another server: they hold even where they are older than what is known, which may have been lost
   */
  takeRows(rows: Row[], anew: boolean): void | Promise<void>;
}

const usualWaitMs = 1_000;
/** Between readings of which each was asked for because the one before was too old. */
const distanceMs = 100;

export function followTable<Row extends FollowedRow>(options: Options<Row>): FollowedTable<Row> {
  const { table: name, clock, log } = options;
  const pages = createTablePages<Row>(options);
  const stopping = new AbortController();
  let position: Position | undefined;
  /** The time of the last reading, by the clock of Postgres, in microseconds. */
  let asOf = Number.NEGATIVE_INFINITY;
  let distant: Promise<void> | undefined;

  const notRead = (error: unknown): void => log.warn({ event: 'table.not_read', table: name, err: toAppError(error) });
  const untilRead = <T>(work: () => Promise<T>): Promise<T> =>
    untilAvailable(work, { clock, signal: stopping.signal, onAway: notRead });

  const isNews = (row: FollowedRow): boolean => {
    const known = options.knownChangedAt(row);
    return known === undefined || row.changed_at > known;
  };
  const takeNews = async (rows: Row[]): Promise<void> => {
    const news = rows.filter(isNews);
    if (news.length > 0) await options.takeRows(news, false);
  };

  async function readWhole(take: (rows: Row[]) => void | Promise<void>): Promise<Position> {
    const from = await untilRead(pages.position);
    let rows = 0;
    for (let after: Key | undefined, more = true; more;) {
      const page = await untilRead(async () => {
        const read = await pages.after(after);
        await take(read);
        return read;
      });
      rows += page.length;
      after = page.at(-1);
      more = after !== undefined;
    }
    log.debug({ event: 'table.read_whole', table: name, rows });
    return from;
  }

  async function read(): Promise<void> {
    position ??= await readWhole(takeNews);
    let changes = await pages.changedSince(position.snapshot);
    if (changes.position.server !== position.server) {
      // Another server, or the same one restarted: its rows may be older than those that were read, and it may reuse transaction ids.
      position = await readWhole((rows) => options.takeRows(rows, true));
      changes = await pages.changedSince(position.snapshot);
    } else if (changes.position.backend !== position.backend) {
      changes = await pages.changedSince(withMargin(position.snapshot));
    }
    const keys = changes.rows.filter(isNews);
    for await (const rows of pages.ofKeys(keys)) await takeNews(rows);
    position = changes.position;
    asOf = microsOf(position.as_of);
  }

  const { resting, ...readings } = createReadings({
    name,
    read,
    onFailed: (error) => {
      if (!stopping.signal.aborted) notRead(error);
    },
    waitMs: options.waitMs ?? usualWaitMs,
    clock,
    log,
  });

  function readAsOfNow(): Promise<void> {
    if (distant !== undefined) return distant;
    const waitMs = readings.freshAtMs() + distanceMs - clock.monotonicMs();
    if (waitMs <= 0) return readings.refresh();
    distant = clock.sleep(waitMs, stopping.signal).then(() => {
      distant = undefined;
      return readings.refresh();
    });
    return distant;
  }

  const part = createPart(
    `table ${name}`,
    async () => {
      await untilRead(readings.refresh);
      await resting.start();
    },
    resting.stop,
  );
  return {
    ...part,
    ...readings,
    stop: () => (stopping.abort(), part.stop()),
    isAsOf: (at, sinceMs) => readings.isRecent() && (asOf >= at || readings.freshAtMs() >= sinceMs),
    readAsOfNow,
    async readIds(ids, postgres) {
      const rows = await pages.ofIds(ids, postgres);
      await takeNews(rows.filter(({ buried }) => !buried));
      return rows;
    },
  };
}
