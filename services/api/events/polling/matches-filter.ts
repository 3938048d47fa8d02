import { type FilterRow, valuesOf } from '../../http/filters.ts';
import { type EventFilter, type EventFilterName, eventFilters } from '../filters.ts';
import { type EventRow, isErased } from '../row.ts';

const rows: Readonly<Record<EventFilterName, FilterRow<EventRow>>> = eventFilters;

const entriesOf = (filter: EventFilter): [EventFilterName, string][] =>
  Object.entries(filter).flatMap(([name, given]) =>
    valuesOf(given).map((value): [EventFilterName, string] => [name as EventFilterName, value]),
  );

/** The values of filters that an event in memory does not answer: the database is asked about them. */
export function askedOfTables(filters: readonly EventFilter[]): Map<EventFilterName, string[]> {
  const values = new Map<EventFilterName, Set<string>>();
  for (const filter of filters)
    for (const [name, value] of entriesOf(filter)) {
      if (rows[name].matches !== undefined) continue;
      const known = values.get(name);
      if (known === undefined) values.set(name, new Set([value]));
      else known.add(value);
    }
  return new Map([...values].map(([name, asked]) => [name, [...asked]]));
}

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
