import { filterConditions, filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { type EndpointFilter, endpointFilters } from '../resources/endpoint-filters.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { ...filterSchemas(endpointFilters), ...pageParameters },
} as const;

const operation: Operation = {
  tag: 'Endpoints',
  id: 'listEndpoints',
  summary: 'List endpoints, oldest first',
  parameters: filterDescriptions(endpointFilters),
  answers: { 200: page('Endpoint', 'Endpoints that are not deleted') },
};

/** `GET /v1/endpoints`: endpoints that are not deleted, oldest first. */
export const listEndpoints: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: EndpointFilter & PageQuery }>({
    method: 'GET',
    url: '/v1/endpoints',
    config: { operation, capability: 'view' },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, endpoints.idPattern);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const read = readFilters(endpointFilters, request.query);
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const rows = await endpoints.list(postgres, request.tenant, page, (bind) =>
        filterConditions(endpointFilters, read.filter, bind),
      );
      const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
      return shown.map((row) => shownEndpoint(row, request.caller));
    },
  });
