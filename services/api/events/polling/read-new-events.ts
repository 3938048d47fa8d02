import type { Query } from '#lib/postgres';
import { formatMicros, microsOf } from '#lib/runtime';
import type { EventFilter, EventFilterName } from '../filters.ts';
import { findMatches, readEvents } from '../queries.ts';
import type { EventRow } from '../row.ts';
import { askedOfTables, matcherOf } from './matches-filter.ts';

/** A tenant's new events, read once for all requests that wait for them. */
export interface NewEvents {
  events: EventRow[];
  /** @returns whether an event is one that the filter takes */
  matcherOf(filter: EventFilter): (event: EventRow) => boolean;
  /** Everything before it was read. */
  readTo: string;
  /** False: there is more from `readTo` on. */
  isAll: boolean;
}

/** @param filters of those who wait */
export type ReadNewEvents = (tenant: string, from: string, filters: readonly EventFilter[]) => Promise<NewEvents>;

const eventsAtOnce = 1_000;

export const createNewEventsReader =
  (postgres: Query): ReadNewEvents =>
  async (tenant, from, filters) => {
    const { events, clockAt } = await readEvents(postgres, tenant, { updated_at_gte: from }, eventsAtOnce);
    const found = new Map<EventFilterName, Map<string, Set<string>>>();
    const eventIds = events.map(({ id }) => id);
    if (events.length > 0)
      for (const [name, values] of askedOfTables(filters))
        found.set(name, idsByValue(await findMatches(postgres, tenant, { name, values }, eventIds)));
    const isAll = events.length < eventsAtOnce;
    const last = isAll ? clockAt : events.at(-1)?.updated_at;
    return {
      events,
      matcherOf: (filter) => matcherOf(filter, (name, value) => found.get(name)?.get(value)),
      readTo: last == null ? from : afterInstant(last),
      isAll,
    };
  };

function idsByValue(matches: readonly { value: string; id: string }[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const [value, ofValue] of Map.groupBy(matches, (match) => match.value))
    ids.set(value, new Set(ofValue.map(({ id }) => id)));
  return ids;
}

/** A microsecond later: no two events of a tenant have the same `updated_at`, so what comes after one begins there. */
export const afterInstant = (instant: string): string => formatMicros(microsOf(instant) + 1);
