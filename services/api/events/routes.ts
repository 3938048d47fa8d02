import { validateHeaderValue } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  getEvent,
  getEventPayload,
  getEventRequest,
  listEventDeliveries,
  listEventMatching,
  listEventReceipts,
} from '#lib/api-contract';
import { receivedHeadersFor } from '#lib/contract';
import { maxEventSteps } from '#lib/event-filter';
import { decodeContent } from '#lib/payload';
import type { Query } from '#lib/postgres';
import { traceIdOf } from '#lib/telemetry';
import { deliveryId, deliveryOf, listDeliveriesOfEvent } from '../deliveries/index.ts';
import { answerPage, type PageRequest, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { jsonText } from '../resources/json-text.ts';
import { isSampleEvent } from '../resources/sample-event.ts';
import { type Route, serve } from '../route.ts';
import { list } from './list.ts';
import { matchEvent } from './matching/match-event.ts';
import { endpointsAfter } from './matching/subscribers.ts';
import { publish } from './publish.ts';
import { eventExists, type EventWithPayload, findEvent, findRequest } from './queries.ts';
import { listReceipts, positionOf, receiptOf, receiptPosition } from './receipts.ts';
import { eventOf, isErased } from './row.ts';
import { search } from './search.ts';

const sendErased = (reply: FastifyReply): FastifyReply => sendProblem(reply, 'gone', 'The event was erased');

/** An event that was not erased; `sent`: the answer where there is none. */
async function takeEvent(
  postgres: Query,
  { tenant, params }: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<EventWithPayload | { sent: FastifyReply }> {
  const event = await findEvent(postgres, tenant, params.id);
  if (event === undefined) return { sent: sendProblem(reply, 'not_found') };
  return isErased(event) ? { sent: sendErased(reply) } : event;
}

/** With the decoded `payload` if it is JSON, or the reason why it can't be decoded. */
const get = serve(getEvent, ({ postgres }) => async (request, reply) => {
  const row = await findEvent(postgres, request.tenant, request.params.id);
  if (row === undefined) return sendProblem(reply, 'not_found');
  const { payload, undecoded } = await payloadOf(row);
  const json = JSON.stringify({
    ...eventOf(row),
    ...(!isErased(row) && { ordering_key: row.ordering_key, trace_id: traceIdOf(row.traceparent) ?? null }),
    ...(undecoded && { payload_undecoded: undecoded }),
  });
  // The sender's text unchanged: parsing and serializing it would change large numbers.
  const withPayload = payload === undefined ? json : `${json.slice(0, -1)},"payload":${payload}}`;
  return reply.header('content-type', 'application/json; charset=utf-8').send(withPayload);
});

/** @returns `payload` as JSON text */
async function payloadOf({
  body,
  content_encoding,
}: EventWithPayload): Promise<{ payload?: string | undefined; undecoded?: string }> {
  if (body === null) return {};
  const decoded = await decodeContent(body, content_encoding);
  if ('content' in decoded) return { payload: jsonText(decoded.content) };
  // A coding that is not known may be none at all.
  const text = decoded.undecoded === 'unsupported' ? jsonText(body) : undefined;
  return text === undefined ? decoded : { payload: text };
}

/** The sender's bytes, under the sender's content type and encoding. */
const payload = serve(getEventPayload, ({ postgres }) => async (request, reply) => {
  const event = await takeEvent(postgres, request, reply);
  if ('sent' in event) return event.sent;
  if (event.body === null)
    return sendProblem(reply, 'gone', 'The payload has been removed: its retention time is over');
  const encoding = event.content_encoding ?? '';
  // Other values are left out: a client that is told an encoding tries to decode it.
  if (codings.test(encoding)) reply.header('content-encoding', encoding);
  return (
    reply
      .header('content-type', usableContentType(event.content_type))
      // Foreign bytes from our address: a browser must save them, not run them.
      .header('content-disposition', 'attachment')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(event.body)
  );
});

/** A list of tokens (RFC 9110, 8.4). */
const codings = /^[!#$%&'*+.^_`|~\w-]+(?:[ \t]*,[ \t]*[!#$%&'*+.^_`|~\w-]+)*$/;

function usableContentType(contentType: string | null): string {
  if (contentType === null || contentType === '') return 'application/octet-stream';
  try {
    validateHeaderValue('content-type', contentType);
    return contentType;
  } catch {
    return 'application/octet-stream';
  }
}

const unknown = { method: null, path: null, client_address: null, headers: null, truncated: false };

const received = serve(getEventRequest, ({ postgres }) => async (request, reply) => {
  const found = await findRequest(postgres, request.tenant, request.params.id);
  if (found === undefined) return sendProblem(reply, 'not_found');
  if (found === 'erased') return sendErased(reply);
  if (found === 'removed')
    return sendProblem(reply, 'gone', 'The request has been removed: its retention time is over');
  if (found.request === null) return unknown;
  const { method, path, client_address, headers, truncated } = found.request;
  const viewer = headerViewerOf(request.caller);
  const shown = receivedHeadersFor(viewer, headers);
  // A customer of the tenant is not told from where its provider sends.
  return { method, path, client_address: viewer === 'customer' ? null : client_address, headers: shown, truncated };
});

/** Deliveries to every endpoint, of every generation. */
const deliveries = serve(listEventDeliveries, ({ postgres, apiUrl }) => (request, reply) => {
  const { tenant, params } = request;
  const read = async (page: PageRequest) =>
    (await eventExists(postgres, tenant, params.id))
      ? listDeliveriesOfEvent(postgres, tenant, params.id, page)
      : sendProblem(reply, 'not_found');
  const viewer = headerViewerOf(request.caller);
  return answerPage({ request, reply, apiUrl }, deliveryId, read, (row) => deliveryOf(row, viewer));
});

const receipts = serve(listEventReceipts, ({ postgres, apiUrl }) => async (request, reply) => {
  const page = readPage(request.query, receiptPosition);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const event = await takeEvent(postgres, request, reply);
  if ('sent' in event) return event.sent;
  const rows = await listReceipts(postgres, request.tenant, event.id, page);
  const shown = takePage(rows, page.limit, (last) => ({ cursor: positionOf(last) }), { request, reply, apiUrl });
  return shown.map(receiptOf);
});

const matching = serve(listEventMatching, (deps) => async (request, reply) => {
  const { postgres, apiUrl } = deps;
  const { tenant } = request;
  const page = readPage(request.query, position);
  if ('errors' in page) return sendInvalid(reply, page.errors);
  const { after, stepsLeft } = readPosition(page.after);
  const event = await takeEvent(postgres, request, reply);
  if ('sent' in event) return event.sent;
  const found = await endpointsAfter(postgres, tenant, { after, limit: page.limit + 1 });
  const endpoints = found.slice(0, page.limit);
  const isTest = await isSampleEvent(postgres, tenant, event);
  const matched = await matchEvent(deps, { tenant, event, stepsLeft, endpoints, isTest });
  takePage(found, page.limit, ({ id }) => ({ cursor: `${id}.${matched.stepsLeft}` }), { request, reply, apiUrl });
  return matched.matches;
});

/** The last endpoint of the page before, and what the event's filters may still cost: filters share that in the order of ids. */
const position = /^(ep_[0-9a-hjkmnp-tv-z]{26})\.(\d{1,7})$/;

function readPosition(cursor: string | null): { after: string; stepsLeft: number } {
  const [, after = '', steps = String(maxEventSteps)] = position.exec(cursor ?? '') ?? [];
  return { after, stepsLeft: Math.min(Number(steps), maxEventSteps) };
}

export const eventRoutes: readonly Route[] = [
  publish,
  list,
  search,
  get,
  payload,
  received,
  deliveries,
  receipts,
  matching,
];
