import { keyIdOf } from '../keys/identify-caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { sessionEnds, shownPortal } from '../resources/session.ts';
import { route, type Route } from '../route.ts';

const operation: Operation = {
  tag: 'Sessions',
  id: 'getMe',
  summary: 'Show the credential of this request: its tenant, its scopes and its end',
  answers: { 200: { is: 'The credential', body: 'Me' } },
};

/** `GET /v1/me`: from memory, and with any scope. */
export const getMe: Route = ({ clock }) =>
  route({
    method: 'GET',
    url: '/v1/me',
    config: { operation, scope: 'any', capability: 'any', ofAllTenants: true },
    async handler({ caller, tenant }) {
      const { type, id, scopes, session } = caller;
      return {
        credential: { type, id, key_id: keyIdOf(caller) },
        tenant,
        all_tenants: caller.tenant === undefined,
        scopes,
        portal: session?.portal === undefined ? null : shownPortal(session.portal),
        ...(session === undefined ? { expires_at: null, idle_expires_at: null } : sessionEnds(session, clock)),
      };
    },
  });
