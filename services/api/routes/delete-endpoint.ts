import { changeOf } from '../http/etag.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { endpointJson, endpoints } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Endpoints',
  id: 'deleteEndpoint',
  summary: 'Delete an endpoint; its open deliveries are cancelled',
  answers: { 204: { is: 'The endpoint is deleted' } },
  conditional: true,
};

/** `DELETE /v1/endpoints/{id}` */
export const deleteEndpoint: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/endpoints/:id',
    config: { operation, capability: 'endpoints', audit: 'endpoint.delete' },
    async handler(request, reply) {
      const result = await endpoints.remove(postgres, changeOf(request), (row, tx) =>
        request.audit(tx, { id: row.id, before: endpointJson(row) }),
      );
      if ('refused' in result) return sendProblem(reply, result.refused);
      return reply.code(204).send();
    },
  });
