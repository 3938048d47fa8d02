import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { deliveryId, deliveryJson, listDeliveriesOfEvent } from '../resources/delivery.ts';
import { eventExists } from '../resources/event.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Events',
  id: 'listEventDeliveries',
  summary: 'List the deliveries of an event',
  answers: { 200: page('Delivery', 'One delivery per endpoint and replay') },
};

/** `GET /v1/events/{id}/deliveries`: of every endpoint and generation. */
export const listEventDeliveries: Route = ({ postgres, apiUrl }) =>
  route<{ Params: { id: string }; Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/events/:id/deliveries',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant } = request;
      const { id } = request.params;
      const page = readPage(request.query, deliveryId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      if (!(await eventExists(postgres, tenant, id))) return sendProblem(reply, 'not_found');
      const rows = await listDeliveriesOfEvent(postgres, tenant, id, page);
      const viewer = headerViewerOf(request.caller);
      return takePage(rows, page.limit, (last) => ({ cursor: last.id }), { request, reply, apiUrl }).map((row) =>
        deliveryJson(row, viewer),
      );
    },
  });
