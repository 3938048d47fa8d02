import { AppError, formatMicros, parseRfc3339 } from '#lib/runtime';
import type { Statement } from './statement.ts';

export interface ClockRequest {
  tenant: string;
  /** How many instants to reserve, one microsecond apart; none where only the row is needed. */
  n: number;
}

export interface ClockReading {
  tenant: string;
  /** The last of the reserved instants. */
  last_at: string;
}

/** Tells of the tenants whose events have changed, by NOTIFY with the tenant's name. */
export const changesChannel = 'hookline_changes';

/** After the last one, whatever the machine's clock says; to be read when the row's lock is had. */
export const nextInstant = `greatest(clock_timestamp(), clock.last_at + interval '1 microsecond')`;

/** The end of a statement that has taken clocks, as `taken`. */
export const clockReadings = `
    SELECT tenant, last_at, pg_notify('${changesChannel}', tenant),
           set_config('idle_in_transaction_session_timeout', '5s', true)
      FROM taken`;

/**
 * Takes the clock row of each tenant and reserves instants on it. The transaction that holds the row is the only one to give its tenant's
 * events an `updated_at` until it commits, so these are unique and in the order of commits: a poller that has seen one has seen all before
 * it.
 *
 * Must come first in its transaction. The previous holder's writes are then committed and seen by every later statement (at READ COMMITTED
 * each takes its own snapshot; at a higher level the update of the row fails instead, and is tried again). The time is read in the SET,
 * after the row's lock is had: a time from before the wait could be earlier than the last holder's. Rows are taken in the order of tenants,
 * so that two transactions can't wait for each other.
 *
 * Its commit sends one notification for each tenant: no writer can forget to wake those who wait for a change, and none of them is woken
 * before the change is visible. A transaction that then changes no event wakes them for nothing, which costs one reading.
 *
 * From then on the server ends the transaction when it is idle for five seconds, also where it may be idle for longer before: one whose
 * process stands still would stop its tenants.
 */
export const takeClocks: Statement<ClockRequest, ClockReading> = {
  name: 'take-clocks',
  columns: ['tenant', 'n'],
  text: `
    WITH taken AS (
      INSERT INTO tenant_clocks AS clock (tenant, last_at)
      SELECT tenant, clock_timestamp() + (n - 1) * interval '1 microsecond'
        FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)
       ORDER BY tenant
      ON CONFLICT (tenant) DO UPDATE
         SET last_at = ${nextInstant}
                       + (($2::int[])[array_position($1::text[], clock.tenant)] - 1) * interval '1 microsecond'
      RETURNING tenant, last_at
    )
    ${clockReadings}`,
};

/** The `n` instants that a reading has reserved, one microsecond apart, the first first. */
export function reservedInstants(reading: ClockReading | undefined, n: number): string[] {
  const lastMicros = parseRfc3339(reading?.last_at ?? '');
  if (lastMicros === undefined) throw new AppError('bug', `a clock reads ${reading?.last_at}`);
  return Array.from({ length: n }, (_, at) => formatMicros(lastMicros - (n - 1 - at)));
}
