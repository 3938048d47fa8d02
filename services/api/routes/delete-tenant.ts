import { formatMicros, nowMicros } from '#lib/clock';
import { createId } from '#lib/ids';
import { deleteTenantRows } from '../erasing/delete-tenant-rows.ts';
import { erasureJson } from '../erasing/erasure-row.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { tenantPattern } from '../keys/caller.ts';
import { allTenants } from '../keys/identify-caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { confirm: { type: 'string', maxLength: 64 } },
} as const;

const operation: Operation = {
  tag: 'Tenants',
  id: 'deleteTenant',
  summary: 'Delete a tenant with everything that it has',
  description:
    'Its senders and its keys are refused at once, and all of its rows are removed. Its records on Kafka are dropped, and counted, for as long as Kafka keeps them; until then, requests that name the tenant are 410; then the name can be used again. Deleting the tenant again returns the progress.',
  parameters: { confirm: 'the id of the tenant once more' },
  answers: { 202: { is: 'The deletion', body: 'TenantDeletion' } },
};

/** `DELETE /v1/tenants/{id}?confirm={id}`: for the operator. */
export const deleteTenant: Route = ({ postgres, clock, random, erased }) =>
  route<{ Params: { id: string }; Querystring: { confirm?: string } }>({
    method: 'DELETE',
    url: '/v1/tenants/:id',
    config: { operation, scope: 'operator', audit: 'tenant.delete', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const tenant = request.params.id;
      if (!tenantPattern.test(tenant)) return sendInvalid(reply, [noName]);
      if (request.query.confirm !== tenant)
        return sendInvalid(reply, [{ field: 'confirm', message: 'must be the id of the tenant' }]);
      const id = createId('ers', clock.nowMs(), random);
      const { erasure, isNew } = await postgres.transaction(async (tx) => {
        const begun = await deleteTenantRows(tx, { tenant, id, asOf: formatMicros(nowMicros(clock)) });
        // Not among the tenant's own entries, which go.
        if (begun.isNew) await request.audit(tx, { id: tenant, tenant: allTenants, after: { erasure_id: id } });
        return begun;
      });
      if (isNew) await erased.refresh();
      return reply.code(202).send(erasureJson(erasure));
    },
  });

const noName = { field: 'id', message: 'must be 1 to 64 letters, digits, dots, dashes or underscores' };
