import { changeOf } from '../http/etag.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { apiKeys } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'API keys',
  id: 'deleteApiKey',
  summary: 'Revoke an API key: within seconds nobody gets in with it',
  answers: { 204: { is: 'It is revoked' } },
  conditional: true,
};

/** `DELETE /v1/api-keys/{id}`: within seconds nobody gets in with it any more. */
export const deleteApiKey: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/api-keys/:id',
    config: { operation, scope: 'admin' },
    async handler(request, reply) {
      const result = await apiKeys.remove(postgres, changeOf(request));
      if ('refused' in result) return sendProblem(reply, result.refused);
      return reply.code(204).send();
    },
  });
