import { sendResource } from '../http/etag.ts';
import { sendMissing } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { sourceJson, sources } from '../resources/source.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Sources',
  id: 'getSource',
  summary: 'Read a source',
  answers: { 200: { is: 'The source', body: 'Source', headers: ['ETag'] } },
  errors: ['gone'],
};

/** `GET /v1/sources/{id}` */
export const getSource: Route = ({ postgres, ingressUrl }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/sources/:id',
    config: { operation },
    async handler(request, reply) {
      const row = await sources.find(postgres, request.tenant, request.params.id);
      if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
      return sendResource(reply, row, sourceJson(row, ingressUrl));
    },
  });
