import { silentLogger } from '#lib/log';
import { createPostgres } from '#lib/postgres';

/** What has become of all that came in. */
export interface TableRows {
  receipts: readonly { receiptId: string; eventId: string | null }[];
  events: readonly { id: string; sourceId: string }[];
  deliveries: readonly { id: string; eventId: string; endpoint: string; status: string }[];
  /** The deliveries that have a dead letter. */
  letters: ReadonlySet<string>;
}

/** @param nameOf an endpoint's name by its id */
export async function readTables(url: string, nameOf: ReadonlyMap<string, string>): Promise<TableRows> {
  const postgres = createPostgres({
    url,
    applicationName: 'bench-accounts',
    maxConnections: 1,
    // All rows of an hour.
    statementTimeoutMs: 300_000,
    log: silentLogger,
  });
  await postgres.start();
  try {
    const deliveries = await postgres.query<{ id: string; event_id: string; endpoint_id: string; status: string }>(
      'SELECT id, event_id, endpoint_id, status FROM deliveries',
    );
    return {
      deliveries: deliveries.map(({ id, event_id, endpoint_id, status }) => ({
        ...{ id, eventId: event_id, status },
        endpoint: nameOf.get(endpoint_id) ?? endpoint_id,
      })),
      receipts: (
        await postgres.query<{ receipt_id: string; event_id: string | null }>(
          'SELECT receipt_id, event_id FROM receipts',
        )
      ).map(({ receipt_id, event_id }) => ({ receiptId: receipt_id, eventId: event_id })),
      events: (await postgres.query<{ id: string; source_id: string }>('SELECT id, source_id FROM events')).map(
        ({ id, source_id }) => ({ id, sourceId: source_id }),
      ),
      letters: new Set(
        (
          await postgres.query<{ delivery_id: string }>(
            'SELECT delivery_id FROM dead_letters WHERE delivery_id IS NOT NULL',
          )
        ).map(({ delivery_id }) => delivery_id),
      ),
    };
  } finally {
    await postgres.stop();
  }
}
