import { validateHeaderValue } from 'node:http';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findEvent } from '../resources/event.ts';
import { isErased } from '../resources/event-row.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Events',
  id: 'getEventPayload',
  summary: 'Read the exact bytes of an event’s payload',
  answers: {
    200: { is: 'The payload, with its own Content-Type and Content-Encoding', body: {}, contentType: '*/*' },
  },
  errors: ['gone'],
};

/** `GET /v1/events/{id}/payload`: the sender's bytes, under the sender's content type and encoding. */
export const getEventPayload: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/events/:id/payload',
    config: { operation, capability: 'view' },
    async handler(request, reply) {
      const event = await findEvent(postgres, request.tenant, request.params.id);
      if (event === undefined) return sendProblem(reply, 'not_found');
      if (event.body === null || isErased(event))
        return sendProblem(
          reply,
          'gone',
          isErased(event) ? 'The event was erased' : 'The payload has been removed: its retention time is over',
        );
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
    },
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
