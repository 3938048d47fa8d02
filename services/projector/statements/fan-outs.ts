import type { Statement } from '#lib/event-store';

/** One delivery of a set; an empty set is a row without one. */
export interface FanOutRow {
  tenant: string;
  event_id: string;
  generation: number;
  delivery_id: string | null;
  endpoint_id: string | null;
  created_at: string;
}

/** A repeated fan-out may add to the set; a delivery whose outcome came first stays as that left it. */
export const insertFanOuts: Statement<FanOutRow> = {
  name: 'insert-fan-outs',
  columns: ['tenant', 'event_id', 'generation', 'delivery_id', 'endpoint_id', 'created_at'],
  text: `
    WITH incoming AS (
      SELECT *
        FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::timestamptz[])
             AS t (tenant, event_id, generation, delivery_id, endpoint_id, created_at)
    ), sets AS (
      INSERT INTO fan_outs (tenant, event_id, generation)
      SELECT DISTINCT tenant, event_id, generation FROM incoming
      ON CONFLICT (tenant, event_id, generation) DO NOTHING
    )
    INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, created_at, updated_at)
    SELECT tenant, delivery_id, event_id, endpoint_id, generation, created_at, created_at
      FROM incoming
     WHERE delivery_id IS NOT NULL
    ON CONFLICT (tenant, id) DO NOTHING`,
};
