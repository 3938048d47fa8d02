import { sendProblem } from '../http/send-problem.ts';
import { allTenants } from '../keys/identify-caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { endSession, lockSession, sessionId, sessionJson } from '../resources/session.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Sessions',
  id: 'deleteSession',
  summary: 'End a session; this takes effect within seconds',
  description: 'A session may end itself; another one needs the scope `admin`.',
  answers: { 204: { is: 'The session has ended' } },
  errors: ['gone'],
};

/** `DELETE /v1/sessions/{id}`: takes effect within seconds. A session ends itself with any scope. */
export const deleteSession: Route = ({ postgres, operatorKeys }) =>
  route<{ Params: { id: string } }>({
    method: 'DELETE',
    url: '/v1/sessions/:id',
    config: { operation, scope: 'admin', orSessionItself: true, audit: 'session.end', ofAllTenants: true },
    async handler(request, reply) {
      const { caller, tenant } = request;
      const { id } = request.params;
      if (!sessionId.test(id)) return sendProblem(reply, 'not_found');
      // Sessions for all tenants are the operator's, whichever tenant the request names.
      const tenants = caller.tenant === undefined ? [tenant, allTenants] : [tenant];
      const row = await postgres.transaction(async (tx) => {
        const session = await lockSession(tx, id, { tenants, fingerprints: operatorKeys.fingerprints });
        if (session?.is_open !== true) return session;
        await endSession(tx, session);
        await request.audit(tx, { id, tenant: session.tenant, before: sessionJson(session) });
        return session;
      });
      if (row === undefined) return sendProblem(reply, 'not_found');
      return row.is_open ? reply.code(204).send() : sendProblem(reply, 'gone');
    },
  });
