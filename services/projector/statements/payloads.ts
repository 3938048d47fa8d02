import {
  columnNames,
  isNotErased,
  listed,
  payloadColumns,
  type RowOf,
  type Statement,
  unnested,
} from '#lib/event-store';

export type PayloadRow = RowOf<typeof payloadColumns>;

/**
 * Payloads of events that are not there yet: of one that comes again the payload may be kept no longer, or was erased. Runs before its event is inserted, in the
 * same transaction or an earlier one.
 */
export const insertPayloads: Statement<PayloadRow> = {
  name: 'insert-payloads',
  columns: columnNames(payloadColumns),
  text: `
    INSERT INTO event_payloads (${listed(payloadColumns)})
    SELECT *
      FROM ${unnested(payloadColumns, 'i')}
     WHERE (SELECT true FROM events e WHERE e.tenant = i.tenant AND e.id = i.event_id) IS NULL
       AND ${isNotErased('i.tenant', 'i.event_id')}
    ON CONFLICT DO NOTHING`,
};
