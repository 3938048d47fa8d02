/**
 * A database whose clock is set, as its statements see it: before the server's own `clock_timestamp` stands one of the same name in the
 * search path of the database, which adds what the clock was set by. Each of its sessions, also those of processes, is opened with it; the
 * server itself, its time limits included, goes by its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Query } from '#lib/postgres';

export interface ClockSteps {
  forward: number;
  back: number;
  /** The farthest that it stood from the server's, in seconds. */
  farthestSeconds: number;
}

/** For sessions that are opened from now on. */
export async function installSteppedClock(postgres: Query, database: string): Promise<void> {
  for (const statement of [
    'CREATE SCHEMA stepped',
    "CREATE TABLE stepped.step AS SELECT interval '0' AS by",
    // Volatile and not inlined: each call looks at what was committed by then, in the middle of a statement too.
    `CREATE FUNCTION stepped.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS
     $$ BEGIN RETURN pg_catalog.clock_timestamp() + (SELECT by FROM stepped.step); END $$`,
    `ALTER DATABASE ${database} SET search_path = stepped, public, pg_catalog`,
  ])
    await postgres.query(statement);
}

const pauseMs = 200;
/** By so many milliseconds at the most: mostly as a clock is corrected, now and then as by a server that takes over with another time. */
const sizes = [1, 10, 100, 100, 1_000, 5_000, 60_000];

/** Steps the clock, forward and back, until it is told to end. */
export async function stepClock(postgres: Query, random: () => number, signal: AbortSignal): Promise<ClockSteps> {
  const steps: ClockSteps = { forward: 0, back: 0, farthestSeconds: 0 };
  let byMs = 0;
  while (!signal.aborted) {
    await delay(random() * 2 * pauseMs, undefined, { signal }).catch(() => undefined);
    const size = sizes[Math.floor(random() * sizes.length)] ?? 0;
    // Around the server's time, on both sides of it: a clock that only ran away would leave all to `last_at`.
    const toMs = (random() * 2 - 1) * size;
    if (toMs > byMs) steps.forward += 1;
    else steps.back += 1;
    byMs = toMs;
    steps.farthestSeconds = Math.max(steps.farthestSeconds, Math.abs(byMs) / 1_000);
    await postgres.query("UPDATE stepped.step SET by = $1 * interval '1 millisecond'", [byMs]);
  }
  return steps;
}
