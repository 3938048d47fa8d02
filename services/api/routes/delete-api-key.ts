import { changeOf } from '../http/etag.ts';
import { sendProblem } from '../http/send-problem.ts';
import { apiKeys } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

/** `DELETE /v1/api-keys/{id}`: within seconds nobody gets in with it any more. */
export const deleteApiKey: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/api-keys/:id',
    config: { scope: 'admin' },
    async handler(request, reply) {
      const result = await apiKeys.remove(postgres, changeOf(request));
      if ('refused' in result) return sendProblem(reply, result.refused);
      return reply.code(204).send();
    },
  });
