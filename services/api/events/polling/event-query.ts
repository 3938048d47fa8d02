import type { listEvents, QueryOf } from '#lib/api-contract';
import { readFilters } from '../../http/filters.ts';
import { readLimit } from '../../http/paging.ts';
import type { FieldErrors } from '../../http/send-problem.ts';
import { type EventFilter, eventFilters } from '../filters.ts';
import type { Cursors } from './cursor.ts';
import { type Position, readPosition } from './position.ts';
import { readWait, type Wait } from './read-wait.ts';

export type EventQuery = QueryOf<typeof listEvents>;

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
  const errors = [limit, placed, waiting, filtered].flatMap((read) =>
    typeof read === 'object' && 'errors' in read ? read.errors : [],
  );
  if (query.page !== undefined) errors.push({ field: 'page', message: 'is only possible with order=desc' });
  if (
    errors.length > 0 ||
    typeof limit !== 'number' ||
    'errors' in placed ||
    'errors' in waiting ||
    'errors' in filtered
  )
    return { errors };
  return { filter: filtered.filter, limit, position, wait: waiting.wait };
}

/** The first event from the last `updated_at` on is one that the client has: a page of one would never get beyond it. */
function readPageSize({ limit, updated_at_gte }: EventQuery): number | { errors: FieldErrors } {
  if (limit !== '1' || updated_at_gte === undefined) return readLimit(limit, 1);
  const message = 'must be 2 or more with updated_at_gte, because a page of one would not advance; or use cursor';
  return { errors: [{ field: 'limit', message }] };
}
