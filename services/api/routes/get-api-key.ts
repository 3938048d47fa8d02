import { sendResource } from '../http/etag.ts';
import { sendMissing } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { apiKeyJson, apiKeys } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'API keys',
  id: 'getApiKey',
  summary: 'Read an API key',
  answers: { 200: { is: 'The API key, without the key itself', body: 'ApiKey', headers: ['ETag'] } },
  errors: ['gone'],
};

/** `GET /v1/api-keys/{id}` */
export const getApiKey: Route = ({ postgres, keyRate }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/api-keys/:id',
    config: { operation, scope: 'admin' },
    async handler(request, reply) {
      const row = await apiKeys.find(postgres, request.tenant, request.params.id);
      if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
      return sendResource(reply, row, apiKeyJson(row, keyRate));
    },
  });
