import { limitNames, limitTable } from '#lib/tenancy';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { tenantPattern } from '../keys/caller.ts';
import type { Operation } from '../openapi/operation.ts';
import { findTenant, type OwnLimits, putTenant as put, tenantJson } from '../resources/tenant.ts';
import { type Route, route } from '../route.ts';
import { name, wholeNumber } from '../settings/fields.ts';

interface Body {
  name: string;
  limits?: OwnLimits;
}

const limits = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(limitNames.map((limit) => [limit, wholeNumber(0, limitTable[limit].max)])),
} as const;

const body = { type: 'object', additionalProperties: false, required: ['name'], properties: { name, limits } } as const;

const operation: Operation = {
  tag: 'Tenants',
  id: 'putTenant',
  summary: 'Name a tenant, and set its own limits',
  description:
    'Replaces both: a limit that is left out is that of `HOOKLINE_TENANT_LIMITS`, or the default. A limit that is lowered below what the tenant has removes nothing. Holds in every process within seconds.',
  answers: { 200: { is: 'The tenant', body: 'Tenant' } },
  errors: ['gone'],
};

/** `PUT /v1/tenants/{id}`: for the operator. A tenant exists as soon as it is named, so there is none that this creates. */
export const putTenant: Route = ({ postgres, limitSettings, erased }) =>
  route<{ Params: { id: string }; Body: Body }>({
    method: 'PUT',
    url: '/v1/tenants/:id',
    config: { operation, scope: 'operator', audit: 'tenant.update', ofAllTenants: true },
    schema: { body },
    async handler(request, reply) {
      const { id } = request.params;
      if (!tenantPattern.test(id)) return sendInvalid(reply, [noName]);
      if (erased.hasTenant(id)) return sendProblem(reply, 'gone', 'The tenant was deleted');
      const { name, limits = {} } = request.body;
      return postgres.transaction(async (tx) => {
        const before = await put(tx, id, { name, limits });
        if (before !== undefined)
          await request.audit(tx, { id, tenant: id, before: { ...before }, after: { name, limits } });
        return tenantJson(await findTenant(tx, id), limitSettings);
      });
    },
  });

const noName = { field: 'id', message: 'must be 1 to 64 letters, digits, dots, dashes or underscores' };
