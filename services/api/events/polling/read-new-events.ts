import type { Query } from '#lib/postgres';
import { formatMicros, microsOf } from '#lib/runtime';
import { type FilterRow, valuesOf } from '../../http/filters.ts';
import { type EventFilter, type EventFilterName, eventFilters } from '../filters.ts';
import { findMatches, readEvents } from '../queries.ts';
import { type EventRow, isErased } from '../row.ts';

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
      for (const [name, values] of askedOfTables(filters)) {
        const matches = await findMatches(postgres, tenant, { name, values: [...values] }, eventIds);
        found.set(name, grouped(matches.map(({ value, id }) => [value, id])));
      }
    const isAll = events.length < eventsAtOnce;
    const last = isAll ? clockAt : events.at(-1)?.updated_at;
    return {
      events,
      matcherOf: (filter) => matcherOf(filter, (name, value) => found.get(name)?.get(value)),
      readTo: last == null ? from : afterInstant(last),
      isAll,
    };
  };

/** The values of each key. */
function grouped<Key>(entries: readonly (readonly [Key, string])[]): Map<Key, Set<string>> {
  const values = new Map<Key, Set<string>>();
  for (const [key, ofKey] of Map.groupBy(entries, ([key]) => key))
    values.set(key, new Set(ofKey.map(([, value]) => value)));
  return values;
}

/** A microsecond later: no two events of a tenant have the same `updated_at`, so what comes after one begins there. */
export const afterInstant = (instant: string): string => formatMicros(microsOf(instant) + 1);

const rows: Readonly<Record<EventFilterName, FilterRow<EventRow>>> = eventFilters;

const entriesOf = (filter: EventFilter): [EventFilterName, string][] =>
  Object.entries(filter).flatMap(([name, given]) =>
    valuesOf(given).map((value): [EventFilterName, string] => [name as EventFilterName, value]),
  );

/** The values of filters that an event in memory does not answer: the database is asked about them. */
const askedOfTables = (filters: readonly EventFilter[]): Map<EventFilterName, Set<string>> =>
  grouped(filters.flatMap(entriesOf).filter(([name]) => rows[name].matches === undefined));

/**
 * Whether an event that was read without a filter is one that this filter takes: what the conditions of `readEvents` say, for many filters at
 * once. An event that was erased is one for everybody.
 *
 * @param found the ids of events that the database has found by such a filter and its value
 */
export function matcherOf(
  filter: EventFilter,
  found: (name: EventFilterName, value: string) => ReadonlySet<string> | undefined,
): (event: EventRow) => boolean {
  const tests = entriesOf(filter).map(([name, value]): ((event: EventRow) => boolean) => {
    const { matches } = rows[name];
    if (matches !== undefined) return (event) => matches(event, value);
    const ids = found(name, value);
    return (event) => ids?.has(event.id) ?? false;
  });
  return (event) => isErased(event) || tests.every((test) => test(event));
}
