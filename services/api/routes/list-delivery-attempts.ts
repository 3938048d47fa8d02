import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { headerViewerOf } from '../keys/identify-caller.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { attemptJson, findDelivery, listAttempts } from '../resources/delivery.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

/** A step: steps number all records of the delivery, attempts among them. */
const cursor = /^\d{1,9}$/;

const operation: Operation = {
  tag: 'Deliveries',
  id: 'listDeliveryAttempts',
  summary: 'List the attempts of a delivery, oldest first',
  answers: { 200: page('Attempt', 'Attempts with their outcomes') },
};

/** `GET /v1/deliveries/{id}/attempts`: the first attempt first. */
export const listDeliveryAttempts: Route = ({ postgres, apiUrl }) =>
  route<{ Params: { id: string }; Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/deliveries/:id/attempts',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const { tenant } = request;
      const { id } = request.params;
      const page = readPage(request.query, cursor);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      if ((await findDelivery(postgres, tenant, id)) === undefined) return sendProblem(reply, 'not_found');
      const rows = await listAttempts(postgres, tenant, id, page);
      const attempts = takePage(rows, page.limit, (last) => ({ cursor: String(last.step) }), {
        request,
        reply,
        apiUrl,
      });
      const viewer = headerViewerOf(request.caller);
      return attempts.map((row) => attemptJson(row, viewer));
    },
  });
