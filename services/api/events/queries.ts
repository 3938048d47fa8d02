import type { EventRequest, Trail } from '#lib/contract';
import { sqlStatus } from '#lib/event-store';
import type { Query } from '#lib/postgres';
import { bindTo, filterConditions } from '../http/filters.ts';
import { idPattern } from '../resources/ids.ts';
import { type EventFilter, type EventFilterName, eventFilters } from './filters.ts';
import { findIdentifierLead } from './leads.ts';
import { receivedWithin } from './received-within.ts';
import { type EventRow, isErased, shownColumns } from './row.ts';

export const eventId = idPattern('evt');

/** One consistent reading of a tenant's events. */
export interface EventsSeen {
  /** In the order of their changes: `updated_at` is unique, and its order is that of commits. */
  events: EventRow[];
  /** The last instant given out: later changes get later ones. Null if there never was an event. */
  clockAt: string | null;
  /** Events up to here have been removed: clients that have not read as far may have missed some. */
  removedTo: string | null;
}

/**
 * Events that match the filter, and those that were erased, whatever it says: whoever has read one is told. The two are read apart, each
 * along an index of its own.
 */
export async function readEvents(
  postgres: Query,
  tenant: string,
  { updated_at_gte, ...filter }: EventFilter,
  limit: number,
): Promise<EventsSeen> {
  const values: unknown[] = [tenant];
  const bind = bindTo(values);
  const named = await findIdentifierLead(postgres, tenant, filter);
  const conditions = ['tenant = $1', ...filterConditions(eventFilters, { updated_at_gte }, bind)];
  const matching = [
    ...filterConditions(eventFilters, filter, bind),
    ...receivedWithin(filter, bind),
    ...(named?.(bind).ids ?? []).map((ids) => `id IN (${ids})`),
  ];
  values.push(limit);
  const pageOf = (all: readonly string[]): string => `
              SELECT ${shownColumns} FROM events
               WHERE ${all.join(' AND ')}
               ORDER BY updated_at
               LIMIT $${values.length}`;
  const erased = `status = ${sqlStatus('erased')}`;
  const found =
    matching.length === 0
      ? pageOf(conditions)
      : `(${pageOf([...conditions, ...matching, `NOT ${erased}`])})
            UNION ALL
            (${pageOf([...conditions, erased])})
               ORDER BY updated_at
               LIMIT $${values.length}`;
  // One statement, one snapshot: events removed between two statements would be missed silently, or reported to clients that have seen
  // them.
  const rows = await postgres.query<{ clock_at: string | null; removed_to: string | null } & Partial<EventRow>>(
    `SELECT clock.last_at AS clock_at, horizon.events_removed_to AS removed_to, page.*
       FROM (SELECT $1::text AS tenant) AS asked
       LEFT JOIN tenant_clocks AS clock USING (tenant)
       LEFT JOIN retention_horizons AS horizon USING (tenant)
       LEFT JOIN LATERAL (${found}) AS page ON true
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

/** Which of these events each of the filter's values takes. */
export function findMatches(
  postgres: Query,
  tenant: string,
  { name, values }: { name: EventFilterName; values: readonly string[] },
  eventIds: readonly string[],
): Promise<{ value: string; id: string }[]> {
  // Each value by itself: in one go, the planner may look at every event for each of them.
  return postgres.query(
    `SELECT asked.value, found.id
       FROM unnest($2::text[]) AS asked (value)
      CROSS JOIN LATERAL (
            SELECT id FROM events
             WHERE tenant = $1 AND id = ANY ($3::text[]) AND ${eventFilters[name].condition('asked.value')}
            OFFSET 0) AS found`,
    [tenant, values, eventIds],
  );
}

export type EventWithPayload = EventRow & {
  ordering_key: string | null;
  /** Empty for none. */
  traceparent: string;
  /** Null, as the next ones, if the payload has been removed. */
  content_type: string | null;
  content_encoding: string | null;
  body: Buffer | null;
  /** The sources that its webhook had passed before; null for none. */
  trail: Trail | null;
};

/**
 * Joins `events` with their payloads. Opens only the partition of an event's day: otherwise the planner would ask them all.
 *
 * @param columns of `event_payloads p`
 */
export const joinPayload = (columns: string): string => `
       LEFT JOIN LATERAL (
              SELECT ${columns}
                FROM event_payloads p
               WHERE p.tenant = events.tenant AND p.event_id = events.id AND p.received_at = events.received_at
               LIMIT 1) AS payload ON true`;

export async function findEvent(postgres: Query, tenant: string, id: string): Promise<EventWithPayload | undefined> {
  if (!eventId.test(id)) return undefined;
  const [row] = await postgres.query<EventWithPayload>(
    `SELECT ${shownColumns}, ordering_key, traceparent, content_type, content_encoding, body, trail
       FROM events ${joinPayload(`p.content_type, p.content_encoding, p.body, p.request -> 'trail' AS trail`)}
      WHERE tenant = $1 AND id = $2`,
    [tenant, id],
  );
  return row;
}

/** The request of an event; null where it is unknown. `removed`: its retention time is over. `erased`: the event was. */
export async function findRequest(
  postgres: Query,
  tenant: string,
  id: string,
): Promise<{ request: EventRequest | null } | 'removed' | 'erased' | undefined> {
  if (!eventId.test(id)) return undefined;
  const [row] = await postgres.query<Pick<EventRow, 'status'> & { kept: boolean | null; request: EventRequest | null }>(
    `SELECT status, payload.kept, payload.request
       FROM events ${joinPayload('true AS kept, p.request')}
      WHERE tenant = $1 AND id = $2`,
    [tenant, id],
  );
  if (row === undefined) return undefined;
  if (isErased(row)) return 'erased';
  return row.kept === null ? 'removed' : { request: row.request };
}

export async function eventExists(postgres: Query, tenant: string, id: string): Promise<boolean> {
  if (!eventId.test(id)) return false;
  const rows = await postgres.query('SELECT FROM events WHERE tenant = $1 AND id = $2', [tenant, id]);
  return rows.length > 0;
}
