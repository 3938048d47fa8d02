import { sendMissing } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findPortalLink, portalLinkJson } from '../resources/portal-link.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Portal links',
  id: 'getPortalLink',
  summary: 'Read a portal link, whether it is redeemed or not',
  answers: { 200: { is: 'The portal link', body: 'PortalLink' } },
  errors: ['gone'],
};

/** `GET /v1/portal-links/{id}` */
export const getPortalLink: Route = ({ postgres, operatorKeys }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/portal-links/:id',
    config: { operation, scope: 'admin' },
    async handler({ tenant, params }, reply) {
      const row = await findPortalLink(postgres, params.id, { tenant, fingerprints: operatorKeys.fingerprints });
      return row === undefined || row.deleted_at !== null ? sendMissing(reply, row) : portalLinkJson(row);
    },
  });
