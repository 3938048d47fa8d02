import { deleteSource as markDeleted, findSource } from '../resources/source.ts';
import { type Route, route } from '../route.ts';
import { sendMissing } from '../send-problem.ts';

/** `DELETE /v1/sources/{id}`: what is left of it answers 410, here and to its senders. */
export const deleteSource: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/sources/:id',
    async handler(request, reply) {
      const { id } = request.params;
      if (await markDeleted(postgres, request.tenant, id)) return reply.code(204).send();
      return sendMissing(reply, await findSource(postgres, request.tenant, id));
    },
  });
