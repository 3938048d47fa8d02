import type { Postgres } from '#lib/postgres';
import { followReplays } from '#lib/replay-store';

/** All that replays have sent, and that has not ended, ends like this; and the replays are looked at, as dispatchers do. */
export async function endDeliveries(
  postgres: Postgres,
  status: 'delivered' | 'dead_lettered' | 'cancelled',
): Promise<void> {
  await postgres.query(
    `INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, status, step, attempts, created_at, updated_at)
     SELECT tenant, coalesce(delivery_id, 'dlv_' || replay_id || item), event_id, endpoint_id, generation, $1, 9, 1,
            clock_timestamp(), clock_timestamp()
       FROM replay_items WHERE outcome = 'waiting'
     ON CONFLICT (tenant, id) DO UPDATE SET status = EXCLUDED.status`,
    [status],
  );
  await postgres.query('UPDATE replays SET look_at = clock_timestamp() WHERE look_at IS NOT NULL');
  await followReplays(postgres, 100);
}
