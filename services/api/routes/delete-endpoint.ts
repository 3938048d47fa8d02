import { deleteEndpoint as markDeleted, findEndpoint } from '../resources/endpoint.ts';
import { type Route, route } from '../route.ts';
import { sendMissing } from '../send-problem.ts';

/** `DELETE /v1/endpoints/{id}` */
export const deleteEndpoint: Route = ({ postgres }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/endpoints/:id',
    async handler(request, reply) {
      const { id } = request.params;
      if (await markDeleted(postgres, request.tenant, id)) return reply.code(204).send();
      return sendMissing(reply, await findEndpoint(postgres, request.tenant, id));
    },
  });
