import { columnNames, listed, type RowOf, type Statement, unnested } from '#lib/event-store';

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

/** A dead letter that was written again (a stage died before it could commit) has the same stage, origin and generation. */
export const insertDeadLetters: Statement<DeadLetterRow> = {
  name: 'insert-dead-letters',
  columns: columnNames(columns),
  text: `
    INSERT INTO dead_letters (${listed(columns)})
    SELECT *
      FROM ${unnested(columns, 't')}
     ORDER BY tenant, stage, origin, generation
    ON CONFLICT DO NOTHING`,
};
