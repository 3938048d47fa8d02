import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { listSessions as querySessions, sessionId, sessionJson } from '../resources/session.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Sessions',
  id: 'listSessions',
  summary: 'List sessions that have not ended, oldest first',
  description: 'With `Hookline-Tenant: *`, those of the operator for all tenants.',
  answers: { 200: page('Session', 'Sessions that have not ended') },
};

/** `GET /v1/sessions`: those that have not ended, the oldest first. */
export const listSessions: Route = ({ postgres, apiUrl, operatorKeys }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/sessions',
    config: { operation, scope: 'admin', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, sessionId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await querySessions(postgres, request.tenant, operatorKeys.fingerprints, page);
      return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl }).map(sessionJson);
    },
  });
