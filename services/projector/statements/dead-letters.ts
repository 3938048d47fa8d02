import { operationalEventTypes } from '#lib/contract';
import { columnNames, isNotErased, listed, type RowOf, type Statement, unnested } from '#lib/event-store';

const columns = {
  tenant: 'text',
  id: 'text',
  origin: 'text',
  generation: 'int',
  stage: 'text',
  reason: 'text',
  attempts: 'int',
  event_id: 'text?',
  delivery_id: 'text?',
  endpoint_id: 'text?',
  source_id: 'text?',
  event_type: 'text?',
  key: 'bytea?',
  headers: 'bytea',
  value: 'bytea?',
  letter_partition: 'int',
  letter_offset: 'bigint',
  at: 'timestamptz',
  /** Null where it is whole, with the one after it. */
  original_bytes: 'bigint?',
  original_sha256: 'bytea?',
} as const;

export type DeadLetterRow = RowOf<typeof columns>;

/** A group is published after its quarter of an hour, when no transaction can still be adding to it. */
const groupSettlesWithin = `interval '1 minute'`;

/**
 * A dead letter that was written again (a stage died before it could commit) has the same stage, origin and generation. It is written without
 * its tenant's clock, so the statement itself asks whether its event was erased.
 *
 * Dead letters of an endpoint are announced, as one event for a quarter of an hour, to tenants that ask for it; those of operational events
 * are not, or one would lead to the next. Groups are counted in the order of their keys, like all rows.
 */
export const insertDeadLetters: Statement<DeadLetterRow> = {
  name: 'insert-dead-letters',
  columns: columnNames(columns),
  text: `
    WITH inserted AS (
      INSERT INTO dead_letters (${listed(columns)})
      SELECT *
        FROM ${unnested(columns, 't')}
       WHERE ${isNotErased('t.tenant', 't.event_id')}
       ORDER BY tenant, stage, origin, generation
      ON CONFLICT DO NOTHING
      RETURNING tenant, endpoint_id, event_type, at),
    counted AS (
      SELECT tenant, endpoint_id, count(*) AS dead, rfc3339(min(at)) AS first_at, rfc3339(max(at) + interval '1 microsecond') AS until
        FROM inserted
       WHERE endpoint_id IS NOT NULL
         AND coalesce(event_type, '') NOT IN (${operationalEventTypes.map((type) => `'${type}'`).join(', ')})
       GROUP BY tenant, endpoint_id)
    INSERT INTO announcements AS told (tenant, type, subject, episode, facts, due_at)
    SELECT tenant, 'hookline.delivery.dead_lettered', endpoint_id, rfc3339(quarter),
           jsonb_build_object('url', endpoints.url, 'count', dead, 'since', first_at, 'until', until),
           quarter + interval '15 minutes' + ${groupSettlesWithin}
      FROM counted
      JOIN endpoints USING (tenant)
      CROSS JOIN date_bin('15 minutes', now(), 'epoch') AS quarter
     WHERE endpoints.id = endpoint_id AND is_asked_for(tenant, 'hookline.delivery.dead_lettered')
     ORDER BY tenant, endpoint_id
    ON CONFLICT (tenant, type, subject, episode) DO UPDATE
       SET facts = told.facts || jsonb_build_object(
             'count', (told.facts->'count')::integer + (EXCLUDED.facts->'count')::integer,
             'since', least(told.facts->>'since', EXCLUDED.facts->>'since'),
             'until', greatest(told.facts->>'until', EXCLUDED.facts->>'until'))`,
};
