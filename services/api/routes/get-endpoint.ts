import { sendResource } from '../http/etag.ts';
import { sendMissing } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { endpoints, shownEndpoint } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'getEndpoint',
  summary: 'Read an endpoint',
  answers: { 200: { is: 'The endpoint', body: 'Endpoint', headers: ['ETag'] } },
  errors: ['gone'],
};

/** `GET /v1/endpoints/{id}` */
export const getEndpoint: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/endpoints/:id',
    config: { operation, capability: 'view' },
    async handler(request, reply) {
      const row = await endpoints.find(postgres, request.tenant, request.params.id);
      if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
      return sendResource(reply, row, shownEndpoint(row, request.caller));
    },
  });
