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

const eventId = idPattern('evt');
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

/** One consistent reading of a tenant's events. */
export interface EventsSeen {
  /** In the order of their changes: `updated_at` is unique, and its order is that of commits. */
  events: EventRow[];
  /** The last instant given out: later changes get later ones. Null if there never was an event. */
  clockAt: string | null;
  /** Events up to here have been removed: clients that have not read as far may have missed some. */
  removedTo: string | null;
}

export async function readEvents(
  postgres: Query,
  tenant: string,
  filter: EventFilter,
  limit: number,
): Promise<EventsSeen> {
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
  values.push(limit);
  // One statement, one snapshot: events removed between two statements would be missed silently, or reported to clients that have seen
  // them.
  const rows = await postgres.query<{ clock_at: string | null; removed_to: string | null } & Partial<EventRow>>(
    `SELECT clock.last_at AS clock_at, horizon.events_removed_to AS removed_to, page.*
       FROM (SELECT $1::text AS tenant) AS asked
       LEFT JOIN tenant_clocks AS clock USING (tenant)
       LEFT JOIN retention_horizons AS horizon USING (tenant)
       LEFT JOIN LATERAL (
              SELECT ${columns} FROM events
               WHERE ${conditions.join(' AND ')}
               ORDER BY updated_at
               LIMIT $${values.length}) AS page ON true
      ORDER BY page.updated_at`,
    values,
  );
  return {
    // Without events there is one row, with null in all columns of the page.
    events: rows.filter((row): row is (typeof rows)[number] & EventRow => row.id !== null && row.id !== undefined),
    clockAt: rows[0]?.clock_at ?? null,
    removedTo: rows[0]?.removed_to ?? null,
  };
}

/** Receipts of these events, those of duplicates included. */
export function receiptsOfEvents(
  postgres: Query,
  tenant: string,
  receiptIds: readonly string[],
  eventIds: readonly string[],
): Promise<{ receipt_id: string; event_id: string }[]> {
  return postgres.query(
    `SELECT receipt_id, event_id FROM receipts
      WHERE tenant = $1 AND receipt_id = ANY($2) AND event_id = ANY($3)`,
    [tenant, receiptIds, eventIds],
  );
}

/** Null if the payload has been removed. */
export type EventWithPayload = EventRow & {
  content_type: string | null;
  content_encoding: string | null;
  body: Buffer | null;
};

/** Opens only the payload partition of the event's day: otherwise the planner would ask them all. */
export async function findEvent(postgres: Query, tenant: string, id: string): Promise<EventWithPayload | undefined> {
  if (!eventId.test(id)) return undefined;
  const [row] = await postgres.query<EventWithPayload>(
    `SELECT ${columns}, content_type, content_encoding, body
       FROM events
       LEFT JOIN LATERAL (
              SELECT p.content_type, p.content_encoding, p.body
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
