import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { tenantPattern } from '../keys/caller.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { listTenants as queryTenants, tenantJson } from '../resources/tenant.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Tenants',
  id: 'listTenants',
  summary: 'List tenants with their counts and limits, in the order of their ids',
  answers: { 200: page('Tenant', 'Tenants') },
};

/** `GET /v1/tenants`: for the operator. */
export const listTenants: Route = ({ postgres, apiUrl, limitSettings }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/tenants',
    config: { operation, scope: 'operator', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, tenantPattern);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await queryTenants(postgres, page);
      const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
      return shown.map((row) => tenantJson(row, limitSettings));
    },
  });
