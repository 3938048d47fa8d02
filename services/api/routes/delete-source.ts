import { changeOf } from '../http/etag.ts';
import { sendProblem } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { sourceJson, sources } from '../resources/source.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Sources',
  id: 'deleteSource',
  summary: 'Delete a source; its senders get 410',
  answers: { 204: { is: 'The source is deleted' } },
  conditional: true,
};

/** `DELETE /v1/sources/{id}`: the id answers 410 from then on, here and to its senders. */
export const deleteSource: Route = ({ postgres, ingressUrl }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/sources/:id',
    config: { operation, audit: 'source.delete' },
    async handler(request, reply) {
      const result = await sources.remove(postgres, changeOf(request), (row, tx) =>
        request.audit(tx, { id: row.id, before: sourceJson(row, ingressUrl) }),
      );
      if ('refused' in result) return sendProblem(reply, result.refused);
      return reply.code(204).send();
    },
  });
