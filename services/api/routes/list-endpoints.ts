import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { endpointJson, endpoints } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Endpoints',
  id: 'listEndpoints',
  summary: 'List endpoints, oldest first',
  answers: { 200: page('Endpoint', 'Endpoints that are not deleted') },
};

/** `GET /v1/endpoints`: endpoints that are not deleted, oldest first. */
export const listEndpoints: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/endpoints',
    config: { operation },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, endpoints.idPattern);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await endpoints.list(postgres, request.tenant, page);
      return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl }).map(endpointJson);
    },
  });
