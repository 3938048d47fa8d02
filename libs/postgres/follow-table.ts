/**
 * A table of configuration kept in memory: loaded whole at the start, then asked for what has changed. It outlives an outage of
 * Postgres with what it has; whoever needs it fresh asks how old the last successful reading is.
 *
 *   whole: a snapshot is taken  ──►  pages of rows, by their key  ──►  what has changed since the snapshot  ──►  it is fresh
 *   then:  the keys of the rows that are not visible in the last snapshot, and a new snapshot (one statement)  ──►  those rows, in pages
 *
 * A row names the transaction that last changed it (`changed_in`, set by a trigger). A transaction that commits late, however late, was not
 * visible in the snapshots before, and is found by the first reading after its commit; no clock takes part, and nothing is read twice. All
 * keys come from one statement, so that a row that changes between two pages is not passed over: docs/adr/0020-following-tables.md.
 */
import { untilAvailable } from '#lib/backoff';
import type { Clock } from '#lib/clock';
import { toAppError } from '#lib/errors';
import { createPart, inRounds, type Part } from '#lib/lifecycle';
import type { Logger } from '#lib/log';
import type { Query } from './postgres.ts';
import { createTablePages, type FollowedTableName, type Key, type Position, withMargin } from './table-pages.ts';

/** The columns that every followed row has. */
export interface FollowedRow extends Key {
  changed_at: string;
  /** Deleted so long ago that nobody needs it in memory: it is to be removed there. */
  buried: boolean;
}

export interface FollowedTable<Row extends FollowedRow = FollowedRow> extends Part {
  /** When the last successful reading began, in the clock's monotonic milliseconds; -Infinity before the first. */
  freshAtMs(): number;
  /** Reads what has changed now; callers that come while a reading runs share the next one, which begins after they asked. */
  refresh(): Promise<void>;
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
  intervalMs: number;
  /** `changed_at` of the row as last taken: an older or equal one that comes later is not taken. */
  knownChangedAt(key: Key): string | undefined;
  /**
   * Rows for which it fails are read again.
   *
   * @param anew the rows are those of another server: they hold even where they are older than what is known, which may have been lost
   */
  takeRows(rows: Row[], anew: boolean): void | Promise<void>;
}

export function followTable<Row extends FollowedRow>(options: Options<Row>): FollowedTable<Row> {
  const { table: name, clock, log } = options;
  const pages = createTablePages<Row>(options);
  const stopping = new AbortController();
  let position: Position | undefined;
  let freshAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> = Promise.resolve();
  let nextReading: Promise<void> | undefined;

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
    let beganAtMs = clock.monotonicMs();
    let changes = await pages.changedSince(position.snapshot);
    if (changes.position.server !== position.server) {
      // Another server, or the same one restarted: its rows may be older than those that were read, and it may reuse transaction ids.
      position = await readWhole((rows) => options.takeRows(rows, true));
      beganAtMs = clock.monotonicMs();
      changes = await pages.changedSince(position.snapshot);
    } else if (changes.position.backend !== position.backend) {
      changes = await pages.changedSince(withMargin(position.snapshot));
    }
    const keys = changes.rows.filter(isNews);
    for await (const rows of pages.ofKeys(keys)) await takeNews(rows);
    position = changes.position;
    freshAtMs = beganAtMs;
  }

  const refresh = (): Promise<void> =>
    (nextReading ??= reading
      .catch(() => undefined)
      .then(() => {
        nextReading = undefined;
        reading = read();
        return reading;
      }));

  const readAgain = (): Promise<void> =>
    refresh().catch((error: unknown) => {
      if (!stopping.signal.aborted) notRead(error);
    });
  const polling = inRounds(readAgain, {
    ...{ name: `readings of ${name}`, everyMs: options.intervalMs, waitsFirst: true, clock, log },
  });

  const part = createPart(
    `table ${name}`,
    async () => {
      await untilRead(refresh);
      await polling.start();
    },
    async () => {
      await polling.stop();
    },
  );
  return {
    ...part,
    stop: () => (stopping.abort(), part.stop()),
    freshAtMs: () => freshAtMs,
    refresh,
    async readIds(ids, postgres) {
      const rows = await pages.ofIds(ids, postgres);
      await takeNews(rows.filter(({ buried }) => !buried));
      return rows;
    },
  };
}
