import type { Receipt } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';

interface ReceiptRow {
  receipt_id: string;
  origin: string;
  received_at: string;
  duplicate: boolean;
  changed: boolean;
  client_address: string | null;
}

/**
 * Position in an event's receipts: a receipt id and an origin. Ids sort by time; a record that the ingress wrote twice around a time-out has one
 * id and two origins.
 */
export const receiptPosition = /^(rcp_[0-9A-Za-z_]{1,100}):([^\s\0]{1,300})$/;

export const positionOf = ({ receipt_id, origin }: ReceiptRow): string => `${receipt_id}:${origin}`;

/** An arrival of an event as clients see it. */
export const receiptOf = (row: ReceiptRow): Receipt => ({
  id: row.receipt_id,
  received_at: row.received_at,
  client_address: row.client_address,
  kind: row.duplicate ? 'duplicate' : 'first',
  same_bytes: !row.changed,
});

/** The oldest first; one more than the page holds. The first arrival's address is that of the event's request, as long as it is kept. */
export function listReceipts(
  postgres: Query,
  tenant: string,
  eventId: string,
  { after, limit }: PageRequest,
): Promise<ReceiptRow[]> {
  const [, receiptId = '', origin = ''] = receiptPosition.exec(after ?? '') ?? [];
  return postgres.query<ReceiptRow>(
    `SELECT page.receipt_id, page.origin, page.received_at, page.duplicate, page.changed,
            coalesce(page.client_address, payload.client_address) AS client_address
       FROM (SELECT * FROM receipts
              WHERE tenant = $1 AND event_id = $2 AND (receipt_id, origin) > ($3, $4)
              ORDER BY receipt_id, origin
              LIMIT $5) AS page
       LEFT JOIN LATERAL (
              SELECT p.request->>'client_address' AS client_address
                FROM event_payloads p
               WHERE NOT page.duplicate AND p.tenant = page.tenant AND p.event_id = page.event_id
                 AND p.received_at = page.received_at
               LIMIT 1) AS payload ON true
      ORDER BY page.receipt_id, page.origin`,
    [tenant, eventId, receiptId, origin, limit + 1],
  );
}
