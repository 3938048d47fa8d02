/**
 * A replay of dead letters, from its request to its items, in the transaction of the request. A dead letter is claimed by changing its row
 * from `dead` to `replaying`, which only one transaction can do: no dead letter is in two replays. The claim sets its replay generation, so
 * every process computes the same ids, after any crash.
 */
import type { Query } from '#lib/postgres';
import { type DeadLetterFilter, deadLetterConditions, deadLetterTables } from './dead-letter-filter.ts';
import { insertReplay, type NewReplay, type ReplayRow } from './replay-row.ts';

export interface DeadLetterReplay extends NewReplay {
  filter: DeadLetterFilter;
  limit: number;
}

/** Within the time of one statement. */
const deadLettersAtOnce = 5_000;

/**
 * Claims the oldest first. Dead letters locked by another transaction are about to be claimed by it, and are skipped.
 *
 * Deliveries (whose value is null) claimed together get one new replay generation of their event. Any other record increments the
 * generation of its own dead letter, because each is claimed once.
 */
export const claimDeadLetters = (
  conditions: string,
  { replay, from, limit }: Record<'replay' | 'from' | 'limit', string>,
) => `
  WITH picked AS MATERIALIZED (
    SELECT l.tenant, l.id, l.at, l.event_id, l.endpoint_id, l.generation, l.value IS NULL AS is_delivery
      FROM ${deadLetterTables}
     WHERE ${conditions}
     ORDER BY l.at, l.id
     LIMIT ${limit}
       FOR UPDATE OF l SKIP LOCKED
  ), claimed AS (
    UPDATE dead_letters l
       SET status = 'replaying', replay_id = ${replay}
      FROM picked p
     WHERE l.tenant = p.tenant AND l.id = p.id
    RETURNING p.*
  ), raised AS (
    INSERT INTO replay_generations AS known (tenant, event_id, generation)
    SELECT tenant, event_id, 1 + (SELECT coalesce(max(f.generation), 0) FROM fan_outs f
                                   WHERE f.tenant = c.tenant AND f.event_id = c.event_id)
      FROM (SELECT DISTINCT tenant, event_id FROM claimed WHERE is_delivery) AS c
     ORDER BY tenant, event_id
    ON CONFLICT (tenant, event_id) DO UPDATE SET generation = greatest(known.generation + 1, EXCLUDED.generation)
    RETURNING tenant, event_id, generation
  )
  INSERT INTO replay_items (tenant, replay_id, item, letter_id, event_id, endpoint_id, generation)
  SELECT c.tenant, ${replay}, ${from} + row_number() OVER (ORDER BY c.at, c.id), c.id,
         CASE WHEN c.is_delivery THEN c.event_id END, CASE WHEN c.is_delivery THEN c.endpoint_id END,
         CASE WHEN c.is_delivery THEN r.generation ELSE c.generation + 1 END
    FROM claimed c
    LEFT JOIN raised r ON r.tenant = c.tenant AND r.event_id = c.event_id
  RETURNING item`;

/** @param claim a test puts a defective variant in its place, to see itself fail */
export async function createDeadLetterReplay(
  tx: Query,
  replay: DeadLetterReplay,
  claim = claimDeadLetters,
): Promise<ReplayRow> {
  const { tenant, id, limit } = replay;
  const filter: DeadLetterFilter = { ...replay.filter, status: 'dead' };
  let matched = 0;
  for (let claimed = deadLettersAtOnce; claimed === deadLettersAtOnce && matched < limit; matched += claimed) {
    const values: unknown[] = [];
    const conditions = deadLetterConditions(tenant, filter, values);
    const parameter = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
    const text = claim(conditions, {
      replay: parameter(id, 'text'),
      from: parameter(matched, 'int'),
      limit: parameter(Math.min(deadLettersAtOnce, limit - matched), 'int'),
    });
    claimed = (await tx.query(text, values)).length;
  }
  return insertReplay(tx, replay, { matched, capped: matched === limit && (await isMore(tx, tenant, filter)) });
}

async function isMore(tx: Query, tenant: string, filter: DeadLetterFilter): Promise<boolean> {
  const values: unknown[] = [];
  const conditions = deadLetterConditions(tenant, filter, values);
  return (await tx.query(`SELECT FROM ${deadLetterTables} WHERE ${conditions} LIMIT 1`, values)).length > 0;
}
