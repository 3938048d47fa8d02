import { changeOf } from '../http/etag.ts';
import { sendProblem } from '../http/send-problem.ts';
import { sources } from '../resources/source.ts';
import { type Route, route } from '../route.ts';

/** `DELETE /v1/sources/{id}`: what is left of it answers 410, here and to its senders. */
export const deleteSource: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/sources/:id',
    async handler(request, reply) {
      const result = await sources.remove(postgres, changeOf(request));
      if ('refused' in result) return sendProblem(reply, result.refused);
      return reply.code(204).send();
    },
  });
