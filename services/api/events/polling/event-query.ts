import type { listEvents, QueryOf } from '#lib/api-contract';
import { readFilters } from '../../http/filters.ts';
import { readLimit } from '../../http/paging.ts';
import type { FieldErrors } from '../../http/send-problem.ts';
import { type EventFilter, eventFilters } from '../filters.ts';
import type { Cursors, Place } from './cursor.ts';
import { type Position, readPosition } from './position.ts';
import { readWait, type Wait } from './read-wait.ts';

type EventQuery = QueryOf<typeof listEvents>;

/** The parsed query of a request for events. */
export interface AskedEvents {
  /** From the position on. */
  filter: EventFilter;
  limit: number;
  position: Position | undefined;
  wait: Wait | undefined;
}

export function readEventQuery(
  tenant: string,
  query: EventQuery,
  prefer: string | string[] | undefined,
  cursors: Cursors,
): AskedEvents | { errors: FieldErrors } {
  const limit = readPageSize(query);
  const placed = readPosition(tenant, query, cursors);
  const waiting = readWait(query.wait, prefer);
  const position = 'errors' in placed ? undefined : placed.position;
  const filtered = readFilters(eventFilters, { ...query, updated_at_gte: position?.from });
  const page = query.page === undefined ? [] : [{ field: 'page', message: 'is only possible with order=desc' }];
  const errors = [...errorsOf(limit, placed, waiting, filtered), ...page];
  if (typeof limit !== 'number' || 'errors' in placed || 'errors' in waiting || 'errors' in filtered) return { errors };
  if (errors.length > 0) return { errors };
  return { filter: filtered.filter, limit, position, wait: waiting.wait };
}

/** The first event from the last `updated_at` on is one that the client has: a page of one would never get beyond it. */
function readPageSize({ limit, updated_at_gte }: EventQuery): number | { errors: FieldErrors } {
  if (limit !== '1' || updated_at_gte === undefined) return readLimit(limit, 1);
  const message = 'must be 2 or more with updated_at_gte, because a page of one would not advance; or use cursor';
  return { errors: [{ field: 'limit', message }] };
}

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
  const given = refused.filter((name) => query[name] !== undefined);
  const isWrongPage = query.page !== undefined && place === undefined;
  const errors = [
    ...given.map((name) => ({ field: name, message: 'is not possible with order=desc' })),
    ...(isWrongPage ? [{ field: 'page', message: 'is not a valid page of this tenant' }] : []),
    ...errorsOf(limit, filtered),
  ];
  if (errors.length > 0 || typeof limit !== 'number' || 'errors' in filtered) return { errors };
  return { filter: filtered.filter, limit, place };
}

const errorsOf = (...read: readonly (number | object | { errors: FieldErrors })[]): FieldErrors =>
  read.flatMap((one) => (typeof one === 'object' && 'errors' in one ? one.errors : []));
