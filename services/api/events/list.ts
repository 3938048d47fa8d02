import type { FastifyReply } from 'fastify';
import { listEvents } from '#lib/api-contract';
import { formatMicros, microsOf } from '#lib/runtime';
import { bodyEtag, isUnchanged } from '../http/etag.ts';
import { linkPages, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { type RouteDeps, serve } from '../route.ts';
import { readNewestEvents } from './newest.ts';
import { type AskedEvents, type AskedNewest, readEventQuery, readNewestQuery } from './polling/event-query.ts';
import type { Found, Place } from './polling/held-polls.ts';
import { afterInstant } from './polling/read-new-events.ts';
import { isExpired } from './polling/position.ts';
import { sendNoPlace } from './polling/send-no-place.ts';
import { readEvents } from './queries.ts';
import { eventOf, type EventRow } from './row.ts';

/** The position of a tenant that never had an event. Not the epoch, with which a client begins that has read nothing and missed nothing. */
const beforeAllEvents = formatMicros(1);

/**
 * Events in the order of their last change; with `wait`, held until there is one. The handler returns no promise of the answer: while it is open,
 * the framework keeps it and everything that it references.
 */
export const list = serve(listEvents, (deps) => (request, reply) => {
  const { tenant, query, headers } = request;
  if (query.order === 'desc') {
    const newest = readNewestQuery(tenant, query, deps.polling.cursors);
    if ('errors' in newest) sendInvalid(reply, newest.errors);
    else failInAnswer(reply, answerNewest(deps, newest, reply));
    return;
  }
  const asked = readEventQuery(tenant, query, headers.prefer, deps.polling.cursors);
  if ('errors' in asked) sendInvalid(reply, asked.errors);
  else failInAnswer(reply, answer(deps, asked, reply));
});

const failInAnswer = (reply: FastifyReply, answered: Promise<unknown>): void =>
  void answered.catch((error: unknown) => reply.send(error));

/** Each page has the cursor of the first: polling from there on misses no event that was not on its page yet when that was read. */
async function answerNewest(deps: RouteDeps, asked: AskedNewest, reply: FastifyReply): Promise<void> {
  const { apiUrl, polling, postgres } = deps;
  const { request } = reply;
  const { tenant } = request;
  const { events, above, below, clockAt } = await readNewestEvents(postgres, tenant, asked.filter, asked);
  const from = asked.place?.from ?? microsOf(clockAt === null ? beforeAllEvents : afterInstant(clockAt));
  const placeOf = (side: 'older' | 'newer', eventId: string | undefined) =>
    eventId === undefined ? undefined : { page: polling.cursors.writePlace(tenant, { side, eventId, from }) };
  linkPages({ next: placeOf('older', below), prev: placeOf('newer', above) }, { request, reply, apiUrl });
  void reply
    .header('vary', 'Authorization, Hookline-Tenant')
    .header('x-poll-interval', polling.intervalSeconds)
    .header('hookline-cursor', polling.cursors.write(tenant, from));
  sendPage(reply, events, request.headers['if-none-match']);
}

/** Answers, or holds the request. */
async function answer(deps: RouteDeps, asked: AskedEvents, reply: FastifyReply): Promise<void> {
  const { polling } = deps;
  const { tenant, credential, headers } = reply.request;
  const { filter, limit, position, wait } = asked;
  void reply
    .header('vary', 'Authorization, Hookline-Tenant, Prefer')
    .header('x-poll-interval', polling.intervalSeconds);
  if (wait?.preferred === true) void reply.header('preference-applied', `wait=${wait.seconds}`);
  // Taken before the read, so that no change is missed between it and the wait.
  const place = wait !== undefined && wait.seconds > 0 ? polling.held.enter(tenant, credential) : undefined;
  if (typeof place === 'string') return void sendNoPlace(deps, reply, place);
  const seenTo = place?.seenTo();
  if (place !== undefined && seenTo !== undefined && seenTo === position?.from)
    return hold(deps, asked, reply, place, { events: [], readTo: seenTo });
  let isHeld = false;
  try {
    const { events, clockAt, removedTo } = await readEvents(deps.postgres, tenant, filter, limit + 1);
    if (position !== undefined && isExpired(position, removedTo)) return sendExpired(reply, removedTo);
    const readTo = clockAt === null ? beforeAllEvents : afterInstant(clockAt);
    place?.saw(readTo);
    const isNews =
      events.length > limit || (events.length > 0 && !isUnchanged(headers['if-none-match'], bodyOf(events)));
    if (place === undefined || isNews) return sendEvents(deps, asked, reply, { events, readTo });
    isHeld = true;
    hold(deps, asked, reply, place, { events, readTo });
  } finally {
    if (!isHeld) place?.leave();
  }
}

/** The events that a reading found, and its horizon. */
interface Seen {
  events: EventRow[];
  readTo: string;
}

/** A separate function, so that a held request references only these values. */
function hold(deps: RouteDeps, asked: AskedEvents, reply: FastifyReply, place: Place, seen: Seen): void {
  const { filter, limit, wait } = asked;
  const hasSeen = seen.events.length > 0;
  reply.raw.on('close', () => place.leave());
  if (reply.raw.destroyed) place.leave();
  const wanted = { filter, from: seen.readTo, limit: limit + 1, withinMs: (wait?.seconds ?? 0) * 1_000 };
  place.wait({ ...wanted, asker: reply.request }, (found) =>
    failInAnswer(reply, answerHeld(deps, asked, reply, found, hasSeen)),
  );
}

/** @param hasSeen the client already has the current events, and wants later ones */
async function answerHeld(
  deps: RouteDeps,
  asked: AskedEvents,
  reply: FastifyReply,
  found: Found,
  hasSeen: boolean,
): Promise<void> {
  // One that ends because its client has left is answered to nobody.
  const { events } =
    hasSeen && !reply.raw.destroyed
      ? await readEvents(deps.postgres, reply.request.tenant, asked.filter, asked.limit + 1)
      : found;
  sendEvents(deps, asked, reply, { events, readTo: found.from });
}

function sendEvents(
  { apiUrl, polling: { cursors } }: RouteDeps,
  { limit, wait }: AskedEvents,
  reply: FastifyReply,
  { events, readTo }: Seen,
): void {
  const { request } = reply;
  const cursorAt = (from: string): string => cursors.write(request.tenant, microsOf(from));
  const after = ({ updated_at }: EventRow): string => cursorAt(afterInstant(updated_at));
  const page = takePage(events, limit, (last) => ({ cursor: after(last) }), { request, reply, apiUrl });
  const last = page.at(-1);
  void reply.header('hookline-cursor', last === undefined ? cursorAt(readTo) : after(last));
  if (last === undefined && wait !== undefined) void reply.code(204).send();
  else sendPage(reply, page, request.headers['if-none-match']);
}

const bodyOf = (events: readonly EventRow[]): string => JSON.stringify(events.map(eventOf));

/** Only the client may cache it, and must revalidate each time (RFC 9111), which costs no body. */
function sendPage(reply: FastifyReply, page: readonly EventRow[], ifNoneMatch: string | undefined): void {
  const body = bodyOf(page);
  void reply.header('cache-control', 'private, no-cache').header('etag', bodyEtag(body));
  if (isUnchanged(ifNoneMatch, body)) void reply.code(304).send();
  else void reply.type('application/json; charset=utf-8').send(body);
}

function sendExpired(reply: FastifyReply, removedTo: string | null): void {
  sendProblem(
    reply,
    'cursor_expired',
    `Events up to ${removedTo} have been removed, perhaps unread: list events again without cursor and updated_at_gte`,
  );
}
