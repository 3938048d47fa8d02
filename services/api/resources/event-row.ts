import type { EventStatus } from '#lib/contract';

export interface EventRow {
  id: string;
  type: string;
  source_id: string;
  event_id: string | null;
  receipt_id: string;
  status: EventStatus;
  received_at: string;
  updated_at: string;
  duplicates: number;
  duplicates_changed: number;
  pending: number;
  retrying: number;
  delivered: number;
  dead_lettered: number;
  cancelled: number;
}

export const eventColumns = `id, type, source_id, event_id, receipt_id, status, received_at, updated_at,
                 duplicates, duplicates_changed, pending, retrying, delivered, dead_lettered, cancelled`;

/** The event as clients see it. */
export function eventJson(row: EventRow): Record<string, unknown> {
  const { id, type, source_id, event_id, receipt_id, status, received_at, updated_at } = row;
  const { duplicates, duplicates_changed, pending, retrying, delivered, dead_lettered, cancelled } = row;
  return {
    id,
    type,
    source_id,
    event_id,
    receipt_id,
    status,
    received_at,
    updated_at,
    duplicates,
    duplicates_changed,
    deliveries: { pending, retrying, delivered, dead_lettered, cancelled },
  };
}
