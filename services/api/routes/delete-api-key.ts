import { changeOf } from '../http/etag.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { apiKeyJson, apiKeys } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'API keys',
  id: 'deleteApiKey',
  summary: 'Revoke an API key; this takes effect within seconds',
  answers: { 204: { is: 'The API key is revoked' } },
  conditional: true,
};

/** `DELETE /v1/api-keys/{id}`: takes effect within seconds. */
export const deleteApiKey: Route = ({ postgres, keyRate }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/api-keys/:id',
    config: { operation, scope: 'admin', audit: 'api_key.delete' },
    async handler(request, reply) {
      const result = await apiKeys.remove(postgres, changeOf(request), (row, tx) =>
        request.audit(tx, { id: row.id, before: apiKeyJson(row, keyRate) }),
      );
      if ('refused' in result) return sendProblem(reply, result.refused);
      return reply.code(204).send();
    },
  });
