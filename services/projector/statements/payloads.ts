import type { Statement } from '#lib/event-store';

export interface PayloadRow {
  tenant: string;
  event_id: string;
  received_at: string;
  content_type: string;
  content_encoding: string | null;
  body: Buffer;
}

/**
 * Payloads of events that are not there yet: of one that comes again the payload may be kept no longer. Runs before its event is inserted, in the
 * same transaction or an earlier one.
 */
export const insertPayloads: Statement<PayloadRow> = {
  name: 'insert-payloads',
  columns: ['tenant', 'event_id', 'received_at', 'content_type', 'content_encoding', 'body'],
  text: `
    INSERT INTO event_payloads (tenant, event_id, received_at, content_type, content_encoding, body)
    SELECT *
      FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::bytea[])
           AS i (tenant, event_id, received_at, content_type, content_encoding, body)
     WHERE (SELECT true FROM events e WHERE e.tenant = i.tenant AND e.id = i.event_id) IS NULL
    ON CONFLICT DO NOTHING`,
};
