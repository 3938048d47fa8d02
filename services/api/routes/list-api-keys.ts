import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { apiKeyJson, apiKeys } from '../resources/api-key.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'API keys',
  id: 'listApiKeys',
  summary: 'List API keys, oldest first',
  answers: { 200: page('ApiKey', 'API keys that are not revoked') },
};

/** `GET /v1/api-keys`: keys that are not revoked, oldest first. */
export const listApiKeys: Route = ({ postgres, apiUrl, keyRate }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/api-keys',
    config: { operation, scope: 'admin' },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, apiKeys.idPattern);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await apiKeys.list(postgres, request.tenant, page);
      const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
      return shown.map((row) => apiKeyJson(row, keyRate));
    },
  });
