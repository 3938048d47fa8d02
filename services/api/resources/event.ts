import type { EventStatus } from '#lib/contract';
import type { Query } from '#lib/postgres';
import { idPattern } from './ids.ts';

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

export const eventId = idPattern('evt');
const columns = `id, type, source_id, event_id, receipt_id, status, received_at, updated_at,
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

export interface EventFilter {
  /** RFC 3339, with microseconds. */
  updatedAtGte?: string;
  status?: string;
  type?: string;
  sourceId?: string;
  receiptId?: string;
}

/** In the order of their changes: `updated_at` is unique, and its order is that of commits. */
export function listEvents(postgres: Query, tenant: string, filter: EventFilter, rows: number): Promise<EventRow[]> {
  const values: unknown[] = [tenant];
  const conditions = ['tenant = $1'];
  const where = (condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  where((instant) => `updated_at >= ${instant}::timestamptz`, filter.updatedAtGte);
  where((status) => `status = ${status}`, filter.status);
  where((type) => `type = ${type}`, filter.type);
  where((sourceId) => `source_id = ${sourceId}`, filter.sourceId);
  where(
    (receiptId) => `id IN (SELECT r.event_id FROM receipts r WHERE r.tenant = $1 AND r.receipt_id = ${receiptId})`,
    filter.receiptId,
  );
  values.push(rows);
  return postgres.query<EventRow>(
    `SELECT ${columns} FROM events
      WHERE ${conditions.join(' AND ')}
      ORDER BY updated_at
      LIMIT $${values.length}`,
    values,
  );
}

/** Null where the payload is kept no longer. */
export type EventWithPayload = EventRow & { content_type: string | null; body: Buffer | null };

/** Of the partitions of payloads, the one of the event's day alone is opened: the planner would else ask them all. */
export async function findEvent(postgres: Query, tenant: string, id: string): Promise<EventWithPayload | undefined> {
  if (!eventId.test(id)) return undefined;
  const [row] = await postgres.query<EventWithPayload>(
    `SELECT ${columns}, content_type, body
       FROM events
       LEFT JOIN LATERAL (
              SELECT p.content_type, p.body
                FROM event_payloads p
               WHERE p.tenant = events.tenant AND p.event_id = events.id AND p.received_at = events.received_at
               LIMIT 1) AS payload ON true
      WHERE tenant = $1 AND id = $2`,
    [tenant, id],
  );
  return row;
}

export async function eventExists(postgres: Query, tenant: string, id: string): Promise<boolean> {
  if (!eventId.test(id)) return false;
  const rows = await postgres.query('SELECT FROM events WHERE tenant = $1 AND id = $2', [tenant, id]);
  return rows.length > 0;
}
