import { sendProblem } from '../http/send-problem.ts';
import { tenantPattern } from '../keys/caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { findKnownTenant, tenantJson } from '../resources/tenant.ts';
import { type Route, route } from '../route.ts';

const operation: Operation = {
  tag: 'Tenants',
  id: 'getTenant',
  summary: 'Read a tenant with its counts and limits',
  description:
    'A tenant that `GET /v1/tenants` would list. A deleted tenant is 410 for as long as Kafka keeps its records.',
  answers: { 200: { is: 'The tenant', body: 'Tenant' } },
  errors: ['gone'],
};

/** `GET /v1/tenants/{id}`: for the operator. */
export const getTenant: Route = ({ postgres, limitSettings, erased }) =>
  route<{ Params: { id: string } }>({
    method: 'GET',
    url: '/v1/tenants/:id',
    config: { operation, scope: 'operator', ofAllTenants: true },
    async handler(request, reply) {
      const { id } = request.params;
      if (erased.hasTenant(id)) return sendProblem(reply, 'gone', 'The tenant was deleted');
      const row = tenantPattern.test(id) ? await findKnownTenant(postgres, id) : undefined;
      return row === undefined ? sendProblem(reply, 'not_found') : tenantJson(row, limitSettings);
    },
  });
