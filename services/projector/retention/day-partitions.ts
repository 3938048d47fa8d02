/**
 * The partitions of a table, one for each day (UTC):
 *
 *   made ahead ──► written ──► past its time ──► nothing open needs it ──► detached ──► what came last rescued, dropped
 *                                  └─ open work needs rows of it: those stay, the others are deleted; looked at again in the next round
 *
 * A row without a day's partition (a clock stepped, an event came after weeks) stands in the default partition, and is swept there
 * row by row. Rows that a day's partition would be made too late for are moved into it.
 *
 * A partition is detached under a lock that also keeps writers out, so nobody waits for it longer than `lockTimeoutMs`: it is given up
 * then, and tried again in the next round. A row that was written between the last look and the detaching is found afterwards, in a table
 * that nobody can write to any more, and goes to the default partition. Dying after the detaching leaves that table to the next round.
 *
 * Any number of processes may do this at once: what changes partitions goes one after the other, and looks again at how they are.
 */
import type { Postgres, Query } from '#lib/postgres';
import { AppError, formatMicros } from '#lib/runtime';
import { openOwners } from './open-work.ts';
import type { PartitionedTable } from './partitioned-tables.ts';
import { type Paced, sweepRows } from './sweep-rows.ts';

export interface DayPartitions {
  /**
   * Makes the days that are missing, from the oldest that there is, or today, to some days ahead, but none that is past its time.
   *
   * @returns those that are left to the default partition, which has too many rows of them
   */
  makeDays(now: number, before: number): Promise<string[]>;
  /** The first and the last of its days, in microseconds; undefined before the first is made. */
  span(): Promise<{ oldest: number; newest: number } | undefined>;
  /** Drops what is past its time and not needed. @returns what it removed, and the rows past their time that open work needs */
  dropBefore(before: number, paced: Paced): Promise<{ partitions: number; rows: number; kept: number }>;
}

interface Options {
  lockTimeoutMs: number;
  /** Called between the last look at a partition and its detaching: the moment that a test needs. */
  beforeDetach?: (partition: string) => Promise<void>;
}

const dayMicros = 24 * 3600 * 1_000_000;
const daysAhead = 7;
/** Rows that are moved out of the default partition while its writers wait. */
const maxMovedRows = 10_000;
/** Any number that no other advisory lock here has. */
const advisoryLock = 7_236_510;

export function createDayPartitions(postgres: Postgres, table: PartitionedTable, options: Options): DayPartitions {
  const { name, time, owner } = table;
  const defaultPartition = `${name}_default`;
  const partitionOf = (day: number): string => `${name}_${formatMicros(day).slice(0, 10).replaceAll('-', '')}`;

  /** All days in order; a detached one is no partition any more, but a table still. */
  async function days(query: Query): Promise<{ partition: string; day: number; attached: boolean }[]> {
    const rows = await query.query<{ partition: string; attached: boolean }>(
      `SELECT relname AS partition, relispartition AS attached
         FROM pg_class
        WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = $1::regclass)
          AND relkind = 'r' AND relname ~ ('^' || $1 || '_\\d{8}$')
        ORDER BY relname`,
      [name],
    );
    return rows.map((row) => ({ ...row, day: dayOf(row.partition) }));
  }

  const inTurn = <T>(change: (tx: Query) => Promise<T>): Promise<T> =>
    postgres.transaction(async (tx) => {
      await tx.query(`SELECT set_config('lock_timeout', $1, true)`, [`${options.lockTimeoutMs}ms`]);
      await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
      return change(tx);
    });

  async function makeDay(tx: Query, day: number): Promise<boolean> {
    const partition = partitionOf(day);
    const [from, to] = [`'${formatMicros(day)}'`, `'${formatMicros(day + dayMicros)}'`];
    if ((await days(tx)).some((known) => known.partition === partition)) return true;
    // A row that is on its way into the default partition when its day is attached would be refused there. Readers may go on.
    await tx.query(`LOCK TABLE ONLY ${name} IN SHARE ROW EXCLUSIVE MODE`);
    const ofDay = `${time} >= ${from} AND ${time} < ${to}`;
    const tooMany = await tx.query(`SELECT FROM ${defaultPartition} WHERE ${ofDay} OFFSET ${maxMovedRows} LIMIT 1`);
    if (tooMany.length > 0) return false;
    // Attached, not made in place: that would keep the table's readers out too.
    await tx.query(`CREATE TABLE ${partition} (LIKE ${name} INCLUDING ALL)`);
    await tx.query(`WITH moved AS (DELETE FROM ${defaultPartition} WHERE ${ofDay} RETURNING *)
                    INSERT INTO ${partition} SELECT * FROM moved`);
    await tx.query(`ALTER TABLE ${name} ATTACH PARTITION ${partition} FOR VALUES FROM (${from}) TO (${to})`);
    return true;
  }

  const neededRows = (partition: string): string => `
    SELECT p.*
      FROM ${partition} p
      JOIN (${openOwners(partition, owner)}) AS open USING (tenant, ${owner.column})`;

  const dropDetached = (partition: string): Promise<void> =>
    inTurn(async (tx) => {
      const known = (await days(tx)).find((day) => day.partition === partition);
      if (known === undefined || known.attached) return;
      await tx.query(`INSERT INTO ${name} ${neededRows(partition)} ON CONFLICT DO NOTHING`);
      await tx.query(`DROP TABLE ${partition}`);
    });

  const detach = (partition: string): Promise<void> =>
    inTurn(async (tx) => {
      const known = (await days(tx)).find((day) => day.partition === partition);
      if (known?.attached !== true) return;
      await tx.query(`ALTER TABLE ${name} DETACH PARTITION ${partition}`);
    });

  /** All of the partition's rows that nothing open needs and that are past their time. */
  const sweep = (partition: string, before: number, paced: Paced): Promise<number> =>
    sweepRows(
      postgres,
      {
        table: partition,
        key: table.key,
        columns: [time],
        removable: `r.${time} < $1::timestamptz`,
        owner,
        values: [formatMicros(before)],
      },
      paced,
    );

  async function countRows(rows: string, values: readonly unknown[] = []): Promise<number> {
    const [counted] = await postgres.query<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM (${rows}) AS found`,
      values,
    );
    return counted?.rows ?? 0;
  }

  return {
    async makeDays(now, before) {
      const today = startOfDay(now);
      const known = (await days(postgres)).filter(({ attached }) => attached);
      const made = new Set(known.map(({ partition }) => partition));
      const left: string[] = [];
      const oldest = Math.max(startOfDay(before), Math.min(today, known[0]?.day ?? today));
      for (let day = oldest; day <= today + daysAhead * dayMicros; day += dayMicros) {
        const partition = partitionOf(day);
        if (made.has(partition)) continue;
        if (!(await inTurn((tx) => makeDay(tx, day)))) left.push(partition);
      }
      return left;
    },

    async span() {
      const attached = (await days(postgres)).filter((day) => day.attached);
      const [first, last] = [attached[0], attached.at(-1)];
      return first && last && { oldest: first.day, newest: last.day };
    },

    async dropBefore(before, paced) {
      const outcome = { partitions: 0, rows: 0, kept: 0 };
      for (const { partition, day, attached } of await days(postgres)) {
        if (day + dayMicros > before) break;
        const needed = attached ? await countRows(neededRows(partition)) : 0;
        if (needed > 0) {
          outcome.kept += needed;
          outcome.rows += await sweep(partition, before, paced);
          continue;
        }
        await options.beforeDetach?.(partition);
        await detach(partition);
        await dropDetached(partition);
        outcome.partitions += 1;
      }
      outcome.rows += await sweep(defaultPartition, before, paced);
      outcome.kept += await countRows(`SELECT FROM ${defaultPartition} WHERE ${time} < $1::timestamptz`, [
        formatMicros(before),
      ]);
      return outcome;
    },
  };
}

const startOfDay = (at: number): number => Math.floor(at / dayMicros) * dayMicros;

/** In microseconds. */
function dayOf(partition: string): number {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(partition) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(ms)) throw new AppError('bug', `${partition} names no day`);
  return ms * 1000;
}
