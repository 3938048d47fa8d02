import type { Statement } from './statement.ts';
import { clockReadings, type ClockReading, type ClockRequest, nextInstant } from './take-clocks.ts';

/**
 * The same of those tenants whose clock nobody holds; of the others, and of one that has no clock yet, it gives none. So who takes the clocks of
 * many waits for no holder of one of them while it has the others, and two who have tenants in common never wait in a circle, or in a row.
 *
 * A row that was changed since the statement began is locked, and read, as it is now: the time goes on from there.
 */
export const takeFreeClocks: Statement<ClockRequest, ClockReading> = {
  name: 'take-free-clocks',
  columns: ['tenant', 'n'],
  text: `
    WITH free AS MATERIALIZED (
      SELECT clock.tenant, wanted.n
        FROM unnest($1::text[], $2::int[]) AS wanted (tenant, n)
        JOIN tenant_clocks AS clock USING (tenant)
         FOR UPDATE OF clock SKIP LOCKED
    ), taken AS (
      UPDATE tenant_clocks AS clock
         SET last_at = ${nextInstant} + (free.n - 1) * interval '1 microsecond'
        FROM free
       WHERE clock.tenant = free.tenant
      RETURNING clock.tenant, clock.last_at
    )
    ${clockReadings}`,
};
