import { eventStatuses } from '#lib/contract';
import { readLimit } from '../http/paging.ts';
import type { FieldErrors } from '../http/send-problem.ts';
import type { EventFilter } from '../resources/event.ts';
import { filterText } from '../settings/fields.ts';
import type { Cursors } from './cursor.ts';
import { type Position, readPosition } from './position.ts';
import { readWait, type Wait } from './read-wait.ts';

export interface EventQuery {
  updated_at_gte?: string;
  cursor?: string;
  status?: string;
  type?: string;
  source_id?: string;
  receipt_id?: string;
  limit?: string;
  wait?: string;
}

export const eventQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    updated_at_gte: { type: 'string' },
    cursor: { type: 'string' },
    status: { type: 'string', enum: eventStatuses },
    type: filterText,
    source_id: filterText,
    receipt_id: filterText,
    limit: { type: 'string' },
    wait: { type: 'string' },
  },
} as const;

/** The parsed query of a request for events. */
export interface AskedEvents {
  /** From the position on. */
  filter: EventFilter;
  limit: number;
  position: Position | undefined;
  wait: Wait | undefined;
}

// From the last `updated_at` on, the first item is one that the client has: a page of one would never get beyond it.
const minLimit = 2;

export function readEventQuery(
  tenant: string,
  query: EventQuery,
  prefer: string | string[] | undefined,
  cursors: Cursors,
): AskedEvents | { errors: FieldErrors } {
  const limit = readLimit(query.limit, minLimit);
  const placed = readPosition(tenant, query, cursors);
  const waiting = readWait(query.wait, prefer);
  const errors = [limit, placed, waiting].flatMap((read) =>
    typeof read === 'object' && 'errors' in read ? read.errors : [],
  );
  if (typeof limit !== 'number' || 'errors' in placed || 'errors' in waiting) return { errors };
  const filter: EventFilter = {};
  if (placed.position !== undefined) filter.updatedAtGte = placed.position.from;
  if (query.status !== undefined) filter.status = query.status;
  if (query.type !== undefined) filter.type = query.type;
  if (query.source_id !== undefined) filter.sourceId = query.source_id;
  if (query.receipt_id !== undefined) filter.receiptId = query.receipt_id;
  return { filter, limit, position: placed.position, wait: waiting.wait };
}
