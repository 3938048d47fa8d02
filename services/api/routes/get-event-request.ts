import { receivedHeadersFor } from '#lib/contract';
import { sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { findRequest } from '../resources/event.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Events',
  id: 'getEventRequest',
  summary: 'Read the request that an event’s webhook came with',
  description:
    'Method, path, headers and client address (null for portal sessions, which see no header that tells an address either) of the first arrival, kept as long as the payload. All fields are null, and `truncated` is false, where the request is unknown: the event was published through the API, is about Hookline itself, or was received before Hookline kept requests.',
  answers: { 200: { is: 'The request', body: 'EventRequest' } },
  errors: ['gone'],
};

const unknown = { method: null, path: null, client_address: null, headers: null, truncated: false };

/** `GET /v1/events/{id}/request` */
export const getEventRequest: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/events/:id/request',
    config: { operation, capability: 'view' },
    async handler(request, reply) {
      const found = await findRequest(postgres, request.tenant, request.params.id);
      if (found === undefined) return sendProblem(reply, 'not_found');
      if (found === 'erased') return sendProblem(reply, 'gone', 'The event was erased');
      if (found === 'removed')
        return sendProblem(reply, 'gone', 'The request has been removed: its retention time is over');
      if (found.request === null) return unknown;
      const { method, path, client_address, headers, truncated } = found.request;
      const viewer = headerViewerOf(request.caller);
      const shown = receivedHeadersFor(viewer, headers);
      // A customer of the tenant is not told from where its provider sends.
      return { method, path, client_address: viewer === 'customer' ? null : client_address, headers: shown, truncated };
    },
  });
