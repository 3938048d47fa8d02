import { decodeContent } from '#lib/content-coding';
import { traceIdOf } from '#lib/telemetry';
import { sendProblem } from '../http/send-problem.ts';
import { type Operation, ref } from '../openapi/operation.ts';
import { type EventWithPayload, findEvent } from '../resources/event.ts';
import { eventJson, isErased } from '../resources/event-row.ts';
import { jsonText } from '../resources/json-text.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Events',
  id: 'getEvent',
  summary: 'Read an event with its payload',
  answers: {
    200: { is: 'The event, or what is left of it', body: { anyOf: [ref('EventWithPayload'), ref('ErasedEvent')] } },
  },
};

/** `GET /v1/events/{id}`, with the decoded `payload` if it is JSON, or the reason why it can't be decoded. */
export const getEvent: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/events/:id',
    config: { operation, capability: 'view' },
    async handler(request, reply) {
      const row = await findEvent(postgres, request.tenant, request.params.id);
      if (row === undefined) return sendProblem(reply, 'not_found');
      const { payload, undecoded } = await payloadOf(row);
      const json = JSON.stringify({
        ...eventJson(row),
        ...(!isErased(row) && { ordering_key: row.ordering_key, trace_id: traceIdOf(row.traceparent) ?? null }),
        ...(undecoded && { payload_undecoded: undecoded }),
      });
      // The sender's text unchanged: parsing and serializing it would change large numbers.
      const withPayload = payload === undefined ? json : `${json.slice(0, -1)},"payload":${payload}}`;
      return reply.header('content-type', 'application/json; charset=utf-8').send(withPayload);
    },
  });

interface Payload {
  /** JSON text. */
  payload?: string | undefined;
  undecoded?: string;
}

async function payloadOf({ body, content_encoding: contentEncoding }: EventWithPayload): Promise<Payload> {
  if (body === null) return {};
  const decoded = await decodeContent(body, contentEncoding);
  if ('content' in decoded) return { payload: jsonText(decoded.content) };
  // A coding that is not known may be none at all.
  const text = decoded.undecoded === 'unsupported' ? jsonText(body) : undefined;
  return text === undefined ? decoded : { payload: text };
}
