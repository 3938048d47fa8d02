import type { Query } from '#lib/postgres';
import { insertReplay, type NewReplay, type ReplayRow } from './replay-row.ts';

export interface DeliveryReplay extends NewReplay {
  eventId: string;
  endpointIds: readonly string[];
}

/**
 * Sends an event to these endpoints again, whatever its deliveries' outcomes, under a new replay generation. It claims the dead letters of
 * the same deliveries, so that no other replay sends them as well.
 */
export async function createDeliveryReplay(tx: Query, replay: DeliveryReplay): Promise<ReplayRow> {
  const { tenant, id, eventId, endpointIds } = replay;
  await tx.query(
    `WITH claimed AS MATERIALIZED (
       SELECT tenant, id FROM dead_letters
        WHERE tenant = $1 AND event_id = $3 AND endpoint_id = ANY ($4::text[]) AND value IS NULL AND status = 'dead'
          FOR UPDATE
     )
     UPDATE dead_letters l SET status = 'replaying', replay_id = $2 FROM claimed c WHERE l.tenant = c.tenant AND l.id = c.id`,
    [tenant, id, eventId, endpointIds],
  );
  const items = await tx.query(
    `WITH raised AS (
       INSERT INTO replay_generations AS known (tenant, event_id, generation)
       SELECT $1, $3, 1 + coalesce(max(generation), 0) FROM fan_outs WHERE tenant = $1 AND event_id = $3
       ON CONFLICT (tenant, event_id) DO UPDATE SET generation = greatest(known.generation + 1, EXCLUDED.generation)
       RETURNING generation
     )
     INSERT INTO replay_items (tenant, replay_id, item, event_id, endpoint_id, generation)
     SELECT $1, $2, place, $3, endpoint_id, raised.generation
       FROM raised, unnest($4::text[]) WITH ORDINALITY AS wanted (endpoint_id, place)
     RETURNING item`,
    [tenant, id, eventId, endpointIds],
  );
  return insertReplay(tx, replay, { matched: items.length, capped: false });
}
