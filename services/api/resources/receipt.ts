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
export const receiptJson = (row: ReceiptRow): Record<string, unknown> => ({
  id: row.receipt_id,
  received_at: row.received_at,
  client_address: row.client_address,
  kind: row.duplicate ? 'duplicate' : 'first',
  same_bytes: !row.changed,
});

/** The oldest first; one more than the page holds. */
export function listReceipts(
  postgres: Query,
  tenant: string,
  eventId: string,
  { after, limit }: PageRequest,
): Promise<ReceiptRow[]> {
  const [, receiptId = '', origin = ''] = receiptPosition.exec(after ?? '') ?? [];
  return postgres.query<ReceiptRow>(
    `SELECT receipt_id, origin, received_at, duplicate, changed, client_address
       FROM receipts
      WHERE tenant = $1 AND event_id = $2 AND (receipt_id, origin) > ($3, $4)
      ORDER BY receipt_id, origin
      LIMIT $5`,
    [tenant, eventId, receiptId, origin, limit + 1],
  );
}
