import type { Query } from '#lib/postgres';
import { type Clock, inRounds, type Logger, type Part } from '#lib/runtime';

const everyMs = 2_000;
/** Locked together for some milliseconds. */
const rowsAtOnce = 100;

/**
 * Deletes endpoints whose time is over, as a client would: their open deliveries are cancelled. Any number of processes may do so at once.
 * An endpoint whose row is locked is being changed, maybe prolonged: it waits for the next round.
 */
export function deleteExpiredEndpoints({ postgres, clock, log }: { postgres: Query; clock: Clock; log: Logger }): Part {
  async function round(signal: AbortSignal): Promise<void> {
    for (let deleted = rowsAtOnce; deleted === rowsAtOnce && !signal.aborted;) {
      const rows = await postgres.query<{ tenant: string; id: string }>(
        `UPDATE endpoints
            SET deleted_at = clock_timestamp(), revision = revision + 1, changed_at = clock_timestamp()
          WHERE (tenant, id) IN (SELECT tenant, id FROM endpoints
                                  WHERE expires_at <= clock_timestamp() AND deleted_at IS NULL
                                  ORDER BY expires_at
                                  LIMIT ${rowsAtOnce}
                                    FOR UPDATE SKIP LOCKED)
          RETURNING tenant, id`,
        [],
        'delete-expired',
      );
      for (const { tenant, id } of rows) log.info({ event: 'endpoint.expired', tenant, endpointId: id });
      deleted = rows.length;
    }
  }
  return inRounds(round, { name: 'deletion of expired endpoints', everyMs, clock, log });
}
