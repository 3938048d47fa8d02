import { withDatabase } from '../../support/with-database.ts';

/** The rows of everything that came in. */
export interface TableRows {
  receipts: readonly { receiptId: string; eventId: string | null }[];
  events: readonly { id: string; sourceId: string }[];
  deliveries: readonly { id: string; eventId: string; endpoint: string; status: string }[];
  /** The deliveries that have a dead letter. */
  deadLetters: ReadonlySet<string>;
}

/** @param nameOf an endpoint's name by its id */
export const readTables = (url: string, nameOf: ReadonlyMap<string, string>): Promise<TableRows> =>
  withDatabase(url, async (postgres) => {
    const deliveries = await postgres.query<{ id: string; event_id: string; endpoint_id: string; status: string }>(
      'SELECT id, event_id, endpoint_id, status FROM deliveries',
    );
    const receipts = await postgres.query<{ receipt_id: string; event_id: string | null }>(
      'SELECT receipt_id, event_id FROM receipts',
    );
    const events = await postgres.query<{ id: string; source_id: string }>('SELECT id, source_id FROM events');
    const deadLetters = await postgres.query<{ delivery_id: string }>(
      'SELECT delivery_id FROM dead_letters WHERE delivery_id IS NOT NULL',
    );
    return {
      deliveries: deliveries.map(({ id, event_id, endpoint_id, status }) => ({
        id,
        eventId: event_id,
        status,
        endpoint: nameOf.get(endpoint_id) ?? endpoint_id,
      })),
      receipts: receipts.map(({ receipt_id, event_id }) => ({ receiptId: receipt_id, eventId: event_id })),
      events: events.map(({ id, source_id }) => ({ id, sourceId: source_id })),
      deadLetters: new Set(deadLetters.map(({ delivery_id }) => delivery_id)),
    };
  });
