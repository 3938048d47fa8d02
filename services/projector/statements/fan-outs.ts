import { columnNames, type RowOf, type Statement, unnested } from '#lib/event-store';
import { type MovedCounts, moves, selectMoved } from './moved-counts.ts';

/** One delivery of a set, or of a chunk of it; an empty one is a row without a delivery. */
const columns = {
  tenant: 'text',
  event_id: 'text',
  generation: 'int',
  delivery_id: 'text?',
  endpoint_id: 'text?',
  created_at: 'timestamptz',
  /** Null where the set is whole; so are the two after it. */
  try: 'text?',
  chunk: 'int?',
  chunks: 'int?',
} as const;

export type FanOutRow = RowOf<typeof columns>;

/**
 * The deliveries of sets, and which sets are known: those that came whole, and those of which one try has all its chunks by now. A
 * repeated fan-out may add to the set; a delivery whose outcome came first stays as that left it.
 *
 * A set that is known needs its chunks no more, neither those that are here nor those that come late.
 */
export const insertFanOuts: Statement<FanOutRow, MovedCounts> = {
  name: 'insert-fan-outs',
  columns: columnNames(columns),
  text: `
    WITH incoming AS (
      SELECT *
        FROM ${unnested(columns, 't')}
    ), unknown AS MATERIALIZED (
      SELECT *
        FROM (SELECT DISTINCT tenant, event_id, generation, try, chunk, chunks FROM incoming) AS i
       WHERE NOT EXISTS (SELECT FROM fan_outs f
                          WHERE f.tenant = i.tenant AND f.event_id = i.event_id AND f.generation = i.generation)
    ), seen AS (
      SELECT tenant, event_id, generation, try, chunk, chunks FROM unknown WHERE try IS NOT NULL
      UNION
      SELECT c.tenant, c.event_id, c.generation, c.try, c.chunk, c.chunks
        FROM (SELECT DISTINCT tenant, event_id, generation, try FROM unknown WHERE try IS NOT NULL) AS u
        JOIN fan_out_chunks c USING (tenant, event_id, generation, try)
    ), whole AS MATERIALIZED (
      SELECT tenant, event_id, generation FROM unknown WHERE try IS NULL
      UNION
      SELECT tenant, event_id, generation
        FROM seen
       GROUP BY tenant, event_id, generation, try
      HAVING count(DISTINCT chunk) >= max(chunks)
    ), known AS (
      INSERT INTO fan_outs (tenant, event_id, generation)
      SELECT tenant, event_id, generation FROM whole
      ON CONFLICT (tenant, event_id, generation) DO NOTHING
    ), kept AS (
      INSERT INTO fan_out_chunks (tenant, event_id, generation, try, chunk, chunks)
      SELECT tenant, event_id, generation, try, chunk, chunks
        FROM unknown
       WHERE try IS NOT NULL AND (tenant, event_id, generation) NOT IN (SELECT * FROM whole)
      ON CONFLICT (tenant, event_id, generation, try, chunk) DO NOTHING
    ), used AS (
      DELETE FROM fan_out_chunks c
       USING whole w
       WHERE c.tenant = w.tenant AND c.event_id = w.event_id AND c.generation = w.generation
    ), inserted AS (
      INSERT INTO deliveries (tenant, id, event_id, endpoint_id, generation, created_at, updated_at)
      SELECT tenant, delivery_id, event_id, endpoint_id, generation, created_at, created_at
        FROM incoming
       WHERE delivery_id IS NOT NULL
      ON CONFLICT (tenant, id) DO NOTHING
      RETURNING tenant, id, event_id, endpoint_id, generation, status
    ), ${moves('inserted')}${selectMoved}`,
};
