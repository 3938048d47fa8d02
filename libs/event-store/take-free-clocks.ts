import type { Statement } from './statement.ts';
import { clockReadings, type ClockReading, type ClockRequest, nextInstant } from './take-clocks.ts';

/**
 * Like `takeClocks`, for tenants whose clock exists and is not locked; other tenants are left out. So a caller never waits for one clock while it
 * holds others, and callers with tenants in common neither deadlock nor queue up.
 *
 * A row that changed since the statement began is locked and read as it is now: its time continues from there.
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
