import type { Query } from '#lib/postgres';
import { bindTo, filterConditions } from '../http/filters.ts';
import { type BoundedList, type BoundedPage, boundedSql, chooseLead } from '../resources/bounded-list.ts';
import { type EventFilter, eventFilters } from './filters.ts';
import { allEvents, eventLeads, findIdentifierLead } from './leads.ts';
import { receivedIds } from './received-within.ts';
import { type EventRow, shownColumns } from './row.ts';

/** A page of the list of the newest events, and the tenant's clock in the same snapshot. */
export interface NewestEvents {
  events: EventRow[];
  /** The newer events are those above this id; undefined: there are none that the list has not shown. */
  above: string | undefined;
  /** The older events are those below this id; undefined: there are none. */
  below: string | undefined;
  /** Null if there never was an event. */
  clockAt: string | null;
}

/** Ids that are below and above those of all events. */
const [lowest, highest] = ['a', 'z'];

/**
 * Events by their receipt, newest first; of one millisecond in the order of their ids.
 *
 * @param place the list's first page, or the one on a side of an event, which it does not show again
 */
export async function readNewestEvents(
  postgres: Query,
  tenant: string,
  filter: EventFilter,
  { limit, place }: { limit: number; place: { side: 'older' | 'newer'; eventId: string } | undefined },
): Promise<NewestEvents> {
  const list: BoundedList = {
    table: 'events',
    columns: shownColumns,
    leads: eventLeads(filter, await findIdentifierLead(postgres, tenant, filter)),
    conditions: (bind) => filterConditions(eventFilters, filter, bind),
  };
  const lead = await chooseLead(postgres, tenant, list, allEvents);
  const descending = place?.side !== 'newer';
  const page: BoundedPage = { descending, limit, ...boundsOf(filter, place) };
  const values: unknown[] = [tenant];
  const sql = boundedSql(list, lead, page, bindTo(values));
  const rows = await postgres.query<{ clock_at: string | null; read_to: string | null } & Partial<EventRow>>(
    `WITH page AS MATERIALIZED (${sql.page})
     SELECT clock.last_at AS clock_at,
            CASE WHEN (SELECT count(*) FROM page) <= ${limit} THEN (${sql.readTo}) END AS read_to, page.*
       FROM (SELECT $1::text AS tenant) AS asked
       LEFT JOIN tenant_clocks AS clock USING (tenant)
       LEFT JOIN page ON true
      ORDER BY page.id DESC`,
    values,
  );
  const found = rows.filter((row): row is (typeof rows)[number] & EventRow => typeof row.id === 'string');
  const isMore = found.length > limit;
  const events = descending ? found.slice(0, limit) : found.slice(isMore ? 1 : 0);
  const [first, last] = [events[0]?.id, events.at(-1)?.id];
  const readTo = rows[0]?.read_to ?? undefined;
  return {
    events,
    clockAt: rows[0]?.clock_at ?? null,
    ...(descending
      ? { above: place && (first ?? readTo ?? lowest), below: isMore ? last : readTo }
      : { above: isMore ? first : readTo, below: last ?? readTo ?? highest }),
  };
}

function boundsOf(
  filter: EventFilter,
  place: { side: 'older' | 'newer'; eventId: string } | undefined,
): Pick<BoundedPage, 'above' | 'below'> {
  const { above, below } = receivedIds(filter);
  if (place?.side === 'newer') return { above: sorted(place.eventId, above).at(-1), below };
  return { above, below: sorted(place?.eventId, below)[0] };
}

const sorted = (...ids: (string | undefined)[]): string[] => ids.filter((id) => id !== undefined).sort();
