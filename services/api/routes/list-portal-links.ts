import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { listPortalLinks as queryLinks, portalLinkId, portalLinkJson } from '../resources/portal-link.ts';
import { type Route, route } from '../route.ts';

const querystring = { type: 'object', additionalProperties: false, properties: pageParameters } as const;

const operation: Operation = {
  tag: 'Portal links',
  id: 'listPortalLinks',
  summary: 'List portal links that are not revoked, oldest first; until 30 days after their end',
  answers: { 200: page('PortalLink', 'Portal links that are not revoked') },
};

/** `GET /v1/portal-links` */
export const listPortalLinks: Route = ({ postgres, apiUrl, operatorKeys }) =>
  route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/v1/portal-links',
    config: { operation, scope: 'admin' },
    schema: { querystring },
    async handler(request, reply) {
      const page = readPage(request.query, portalLinkId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const rows = await queryLinks(postgres, request.tenant, operatorKeys.fingerprints, page);
      const shown = takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl });
      return shown.map(portalLinkJson);
    },
  });
