/**
 * Moves minutes of the statistics into hours, and hours into days, and removes what is too old, in pieces. What is moved goes in one statement
 * from its row to the other, so that every reading counts it once; a count that comes late makes a row that is moved in the next round.
 *
 * Rows that somebody writes just now are left to the next round: this waits for no row that a projector holds.
 */
import { matchedWithinDays, statSeries, statSteps } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { formatMicros } from '#lib/runtime';
import type { Paced } from './sweep-rows.ts';

const rowsAtOnce = 2_000;
const secondMicros = 1_000_000;

const series = statSeries.join(', ');
const oldRows = `
  old AS MATERIALIZED (
    SELECT tenant, dimension, key, at
      FROM stats
     WHERE step = $1 AND at < $2
     ORDER BY at
     LIMIT ${rowsAtOnce}
       FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM stats s
     USING old o
     WHERE s.tenant = o.tenant AND s.dimension = o.dimension AND s.step = $1 AND s.key = o.key AND s.at = o.at
    RETURNING s.*
  )`;

const moveRows = `
  WITH ${oldRows}, added AS (
    INSERT INTO stats AS known (tenant, dimension, step, key, at, ${series})
    SELECT tenant, dimension, $3, key, date_trunc($3, at) AS beginning, ${statSeries.map((each) => `sum(${each})`).join(', ')}
      FROM taken
     GROUP BY tenant, dimension, key, beginning
     ORDER BY tenant, dimension, key, beginning
    ON CONFLICT (tenant, dimension, step, key, at)
    DO UPDATE SET ${statSeries.map((each) => `${each} = known.${each} + EXCLUDED.${each}`).join(', ')}
  )
  SELECT count(*)::int AS rows FROM taken`;

const removeRows = `WITH ${oldRows} SELECT count(*)::int AS rows FROM taken`;

/** @returns how many rows were removed for good */
export async function rollUpStats(postgres: Query, now: number, paced: Paced): Promise<number> {
  const before = (seconds: number): number => now - seconds * secondMicros;
  const { '1m': minutes, '1h': hours, '1d': days } = statSteps;
  const inPieces = async (text: string, values: readonly unknown[]): Promise<number> => {
    let rows = 0;
    await paced(async () => {
      const [piece] = await postgres.query<{ rows: number }>(text, values);
      rows += piece?.rows ?? 0;
      return { last: (piece?.rows ?? 0) < rowsAtOnce };
    });
    return rows;
  };
  // Whole hours and days: a reading by the coarser step then finds each in one place, or in both, but never cut.
  for (const [from, into] of [
    [minutes, hours],
    [hours, days],
  ] as const)
    await inPieces(moveRows, [from.step, startOf(into.seconds, before(from.keptSeconds)), into.step]);
  await postgres.query('DELETE FROM stat_types WHERE day < $1::timestamptz', [
    formatMicros(before(matchedWithinDays * 24 * 3600)),
  ]);
  return inPieces(removeRows, [days.step, startOf(days.seconds, before(days.keptSeconds))]);
}

const startOf = (seconds: number, at: number): string => {
  const step = seconds * secondMicros;
  return formatMicros(Math.floor(at / step) * step);
};

/** Everything is counted from now on. Says so once. */
export const beginStats = async (postgres: Query): Promise<void> =>
  void (await postgres.query('INSERT INTO stats_since (at) VALUES (clock_timestamp()) ON CONFLICT DO NOTHING'));
