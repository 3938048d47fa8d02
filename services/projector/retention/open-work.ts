import { isOpen, sqlStatus } from '#lib/event-store';

/** The column of a row that names the event, or the delivery, that it belongs to. */
export interface Owner {
  kind: 'event' | 'delivery';
  column: string;
}

/**
 * Selects the tenants and owners of some rows that have not ended: their data must not go, however old it is. The search starts from the
 * rows at hand: there may be millions of deliveries that wait.
 *
 * @param rows a table, or a name of the statement's own
 */
export function openOwners(rows: string, { kind, column }: Owner): string {
  const owner = `r.tenant, r.${column} FROM ${rows} r`;
  // Items of any generation: an event may have ended by its newest.
  const toBeSent = `
    SELECT ${owner}
      JOIN deliveries d ON d.tenant = r.tenant AND d.${kind === 'event' ? 'event_id' : 'id'} = r.${column}
     WHERE ${isOpen('d.status')}`;
  const unknownYet = `
    SELECT ${owner}
      JOIN waiting w ON w.tenant = r.tenant AND w.${kind}_id = r.${column}
     WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.tenant = w.tenant AND d.id = w.delivery_id)`;
  const withoutDeliveries = `
    SELECT ${owner}
      JOIN events e ON e.tenant = r.tenant AND e.id = r.${column}
     WHERE e.status = ${sqlStatus('received')}`;
  return [toBeSent, unknownYet, ...(kind === 'event' ? [withoutDeliveries] : [])].join('\n    UNION');
}
