import type { FastifyReply } from 'fastify';
import { formatMicros } from '#lib/clock';
import { eventStatuses } from '#lib/contract';
import { bodyEtag, isUnchanged } from '../etag.ts';
import { filterText } from '../fields.ts';
import { readLimit, takePage } from '../paging.ts';
import type { Cursors } from '../polling/cursor.ts';
import { afterInstant, microsOf } from '../polling/instants.ts';
import { isExpired, type Position, readPosition } from '../polling/position.ts';
import { readWait, type Wait } from '../polling/read-wait.ts';
import { type EventFilter, eventJson, type EventRow, readEvents } from '../resources/event.ts';
import { type Route, route } from '../route.ts';
import { type FieldErrors, sendInvalid, sendProblem } from '../send-problem.ts';

interface EventQuery {
  updated_at_gte?: string;
  cursor?: string;
  status?: string;
  type?: string;
  source_id?: string;
  receipt_id?: string;
  limit?: string;
  wait?: string;
}

const querystring = {
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

// From the last `updated_at` on, the first item is one that the client has: a page of one would never get beyond it.
const minLimit = 2;
/** Places are left as requests are answered: within a minute all of them are. */
const retryAfterSeconds = 5;
const epoch = formatMicros(0);

/** `GET /v1/events`: in the order in which they changed, and held until one has, where that is asked for. */
export const listEvents: Route = ({ postgres, apiUrl, polling: { cursors, held, intervalSeconds } }) =>
  route<{ Querystring: EventQuery }>({
    method: 'GET',
    url: '/v1/events',
    schema: { querystring },
    async handler(request, reply) {
      const { tenant, headers } = request;
      const query = readQuery(tenant, request.query, headers.prefer, cursors);
      if ('errors' in query) return sendInvalid(reply, query.errors);
      const { filter, limit, position, wait } = query;
      const ifNoneMatch = headers['if-none-match'];
      void reply.header('vary', 'Authorization, Hookline-Tenant, Prefer').header('x-poll-interval', intervalSeconds);
      if (wait?.preferred === true) void reply.header('preference-applied', `wait=${wait.seconds}`);

      // Before the look, so that no change comes between it and the wait.
      const place = wait !== undefined && wait.seconds > 0 ? held.enter(tenant, request.credential) : undefined;
      if (typeof place === 'string') return sendNoPlace(reply, place);
      try {
        const look = () => readEvents(postgres, tenant, filter, limit + 1);
        const seen = await look();
        if (position !== undefined && isExpired(position, seen.removedTo)) return sendExpired(reply, seen.removedTo);
        let { events } = seen;
        let readTo = seen.clockAt === null ? (position?.from ?? epoch) : afterInstant(seen.clockAt);

        const isNews = events.length > limit || (events.length > 0 && !isUnchanged(ifNoneMatch, bodyOf(events)));
        if (place !== undefined && wait !== undefined && !isNews) {
          reply.raw.once('close', place.leave);
          if (reply.raw.destroyed) place.leave();
          const found = await place.wait({ filter, from: readTo, limit: limit + 1, withinMs: wait.seconds * 1_000 });
          readTo = found.from;
          // Behind what the client has already, if it asked for that again.
          if (found.events.length > 0) events = events.length === 0 ? found.events : (await look()).events;
        }

        const cursorAt = (from: string): string => cursors.write(tenant, microsOf(from));
        const after = ({ updated_at }: EventRow): string => cursorAt(afterInstant(updated_at));
        const page = takePage(events, limit, (last) => ({ cursor: after(last) }), { request, reply, apiUrl });
        const last = page.at(-1);
        void reply.header('hookline-cursor', last === undefined ? cursorAt(readTo) : after(last));
        return last === undefined && wait !== undefined ? reply.code(204).send() : sendPage(reply, page, ifNoneMatch);
      } finally {
        place?.leave();
      }
    },
  });

interface ReadQuery {
  filter: EventFilter;
  limit: number;
  position: Position | undefined;
  wait: Wait | undefined;
}

function readQuery(
  tenant: string,
  query: EventQuery,
  prefer: string | string[] | undefined,
  cursors: Cursors,
): ReadQuery | { errors: FieldErrors } {
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

const bodyOf = (events: readonly EventRow[]): string => JSON.stringify(events.map(eventJson));

/** Kept by who asked, to be shown to nobody else, and asked about each time (RFC 9111): that costs no body. */
function sendPage(reply: FastifyReply, page: readonly EventRow[], ifNoneMatch: string | undefined): FastifyReply {
  const body = bodyOf(page);
  void reply.header('cache-control', 'private, no-cache').header('etag', bodyEtag(body));
  if (isUnchanged(ifNoneMatch, body)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(body);
}

const sendExpired = (reply: FastifyReply, removedTo: string | null): FastifyReply =>
  sendProblem(
    reply,
    'cursor_expired',
    `Events up to ${removedTo} have been removed, some of them perhaps unread: list events anew, without a position`,
  );

const sendNoPlace = (reply: FastifyReply, full: 'credential' | 'process'): FastifyReply =>
  full === 'process'
    ? sendProblem(reply, 'unavailable', 'As many requests are held as can be: ask without wait, or later')
    : sendProblem(
        reply.header('retry-after', retryAfterSeconds),
        'rate_limited',
        'As many requests are held with this key as may be: ask without wait, or later',
      );
