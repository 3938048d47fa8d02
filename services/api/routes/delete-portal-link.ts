import { sendMissing } from '../http/send-problem.ts';
import type { Operation } from '../openapi/operation.ts';
import { findPortalLink, portalLinkJson, revokePortalLink } from '../resources/portal-link.ts';
import { endSession } from '../resources/session.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Portal links',
  id: 'deletePortalLink',
  summary: 'Revoke a portal link, and end its session; this takes effect within seconds',
  answers: { 204: { is: 'The portal link is revoked' } },
  errors: ['gone'],
};

/** `DELETE /v1/portal-links/{id}`: nobody gets in with it, and whoever did is signed out within seconds. */
export const deletePortalLink: Route = ({ postgres, operatorKeys }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/portal-links/:id',
    config: { operation, scope: 'admin', audit: 'portal_link.revoke' },
    async handler(request, reply) {
      const { tenant, params } = request;
      const { fingerprints } = operatorKeys;
      const row = await postgres.transaction(async (tx) => {
        const link = await findPortalLink(tx, params.id, { tenant, fingerprints, lock: true });
        if (link === undefined || link.deleted_at !== null) return link;
        await revokePortalLink(tx, link);
        if (link.session_id !== null) await endSession(tx, { tenant, id: link.session_id });
        await request.audit(tx, { id: link.id, before: portalLinkJson(link) });
        return link;
      });
      if (row === undefined || row.deleted_at !== null) return sendMissing(reply, row);
      return reply.code(204).send();
    },
  });
