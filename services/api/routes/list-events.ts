import { formatMicros, parseRfc3339 } from '#lib/clock';
import { AppError } from '#lib/errors';
import { eventStatuses } from '#lib/contract';
import { filterText } from '../fields.ts';
import { readLimit, takePage } from '../paging.ts';
import { type EventFilter, eventJson, type EventRow, listEvents as queryEvents } from '../resources/event.ts';
import { type Route, route } from '../route.ts';
import { type FieldErrors, sendInvalid } from '../send-problem.ts';

interface EventQuery {
  updated_at_gte?: string;
  status?: string;
  type?: string;
  source_id?: string;
  receipt_id?: string;
  limit?: string;
}

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    updated_at_gte: { type: 'string' },
    status: { type: 'string', enum: eventStatuses },
    type: filterText,
    source_id: filterText,
    receipt_id: filterText,
    limit: { type: 'string' },
  },
} as const;

// From the last `updated_at` on, the first item is one that the client has: a page of one would never get beyond it.
const minLimit = 2;

/** `GET /v1/events`: in the order in which they changed. */
export const listEvents: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: EventQuery }>({
    method: 'GET',
    url: '/v1/events',
    schema: { querystring },
    async handler(request, reply) {
      const query = readQuery(request.query);
      if ('errors' in query) return sendInvalid(reply, query.errors);
      const rows = await queryEvents(postgres, request.tenant, query.filter, query.limit + 1);
      return takePage(rows, query.limit, afterEvent, { request, reply, apiUrl }).map(eventJson);
    },
  });

function readQuery(query: EventQuery): { filter: EventFilter; limit: number } | { errors: FieldErrors } {
  const limit = readLimit(query.limit, minLimit);
  if (typeof limit !== 'number') return limit;
  const filter: EventFilter = {};
  if (query.updated_at_gte !== undefined) {
    const micros = parseRfc3339(query.updated_at_gte);
    if (micros === undefined)
      return {
        errors: [
          {
            field: 'updated_at_gte',
            message: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.123456Z (a + in it is written %2B)',
          },
        ],
      };
    // No event is earlier or later, but some clients begin at the year 1.
    filter.updatedAtGte = formatMicros(Math.min(Math.max(micros, 0), Number.MAX_SAFE_INTEGER));
  }
  if (query.status !== undefined) filter.status = query.status;
  if (query.type !== undefined) filter.type = query.type;
  if (query.source_id !== undefined) filter.sourceId = query.source_id;
  if (query.receipt_id !== undefined) filter.receiptId = query.receipt_id;
  return { filter, limit };
}

/** No two events of a tenant have the same `updated_at`: the next page begins a microsecond later, and repeats nothing. */
function afterEvent({ updated_at }: EventRow): Record<string, string> {
  const micros = parseRfc3339(updated_at);
  if (micros === undefined) throw new AppError('bug', `updated_at is ${updated_at}`);
  return { updated_at_gte: formatMicros(micros + 1) };
}
