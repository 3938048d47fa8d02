import { columnNames, listed, type RowOf, type Statement, unnested } from '#lib/event-store';

const columns = {
  tenant: 'text',
  event_id: 'text',
  received_at: 'timestamptz',
  content_type: 'text',
  content_encoding: 'text?',
  body: 'bytea',
} as const;

export type PayloadRow = RowOf<typeof columns>;

/**
 * Payloads of events that are not there yet: of one that comes again the payload may be kept no longer. Runs before its event is inserted, in the
 * same transaction or an earlier one.
 */
export const insertPayloads: Statement<PayloadRow> = {
  name: 'insert-payloads',
  columns: columnNames(columns),
  text: `
    INSERT INTO event_payloads (${listed(columns)})
    SELECT *
      FROM ${unnested(columns, 'i')}
     WHERE (SELECT true FROM events e WHERE e.tenant = i.tenant AND e.id = i.event_id) IS NULL
    ON CONFLICT DO NOTHING`,
};
