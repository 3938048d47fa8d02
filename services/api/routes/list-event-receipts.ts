import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { findEvent } from '../resources/event.ts';
import { isErased } from '../resources/event-row.ts';
import { listReceipts, positionOf, receiptJson, receiptPosition } from '../resources/receipt.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Events',
  id: 'listEventReceipts',
  summary: 'List the arrivals of an event, its duplicates included, oldest first',
  answers: { 200: page('Receipt', 'Arrivals of the event') },
  errors: ['gone'],
};

/** `GET /v1/events/{id}/receipts`. */
export const listEventReceipts: Route = ({ postgres, apiUrl }) =>
  route<{ Params: { id: string }; Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/events/:id/receipts',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant } = request;
      const { id } = request.params;
      const page = readPage(request.query, receiptPosition);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const event = await findEvent(postgres, tenant, id);
      if (event === undefined) return sendProblem(reply, 'not_found');
      if (isErased(event)) return sendProblem(reply, 'gone', 'The event was erased');
      const rows = await listReceipts(postgres, tenant, id, page);
      return takePage(rows, page.limit, (last) => ({ cursor: positionOf(last) }), { request, reply, apiUrl }).map(
        receiptJson,
      );
    },
  });
