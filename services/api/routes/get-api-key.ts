import { sendResource } from '../http/etag.ts';
import { sendMissing } from '../http/send-problem.ts';
import { apiKeyJson, apiKeys } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

/** `GET /v1/api-keys/{id}` */
export const getApiKey: Route = ({ postgres, keyRate }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/api-keys/:id',
    config: { scope: 'admin' },
    async handler(request, reply) {
      const row = await apiKeys.find(postgres, request.tenant, request.params.id);
      if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
      return sendResource(reply, row, apiKeyJson(row, keyRate));
    },
  });
