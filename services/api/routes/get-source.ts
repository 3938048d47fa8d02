import { findSource, sourceJson } from '../resources/source.ts';
import { type Route, route } from '../route.ts';
import { sendMissing } from '../send-problem.ts';

/** `GET /v1/sources/{id}` */
export const getSource: Route = ({ postgres, ingressUrl }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/sources/:id',
    async handler(request, reply) {
      const row = await findSource(postgres, request.tenant, request.params.id);
      if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
      return sourceJson(row, ingressUrl);
    },
  });
