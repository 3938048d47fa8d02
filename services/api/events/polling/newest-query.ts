import { readFilters } from '../../http/filters.ts';
import { readLimit } from '../../http/paging.ts';
import type { FieldErrors } from '../../http/send-problem.ts';
import { type EventFilter, eventFilters } from '../filters.ts';
import type { Cursors, Place } from './cursor.ts';
import type { EventQuery } from './event-query.ts';

/** The parsed query of a request for the newest events. */
export interface AskedNewest {
  filter: EventFilter;
  limit: number;
  /** Undefined for the first page. */
  place: Place | undefined;
}

/** These go by the order of changes. */
const refused = ['cursor', 'updated_at_gte', 'wait'] as const;

export function readNewestQuery(
  tenant: string,
  query: EventQuery,
  cursors: Cursors,
): AskedNewest | { errors: FieldErrors } {
  const limit = readLimit(query.limit, 1);
  const filtered = readFilters(eventFilters, query);
  const place = query.page === undefined ? undefined : cursors.readPlace(tenant, query.page);
  const errors = [
    ...refused
      .filter((name) => query[name] !== undefined)
      .map((name) => ({ field: name, message: 'is not possible with order=desc' })),
    ...(query.page !== undefined && place === undefined
      ? [{ field: 'page', message: 'is not a valid page of this tenant' }]
      : []),
    ...(typeof limit === 'number' ? [] : limit.errors),
    ...('errors' in filtered ? filtered.errors : []),
  ];
  if (errors.length > 0 || typeof limit !== 'number' || 'errors' in filtered) return { errors };
  return { filter: filtered.filter, limit, place };
}
