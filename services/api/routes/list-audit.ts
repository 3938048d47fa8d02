import { filterDescriptions, filterSchemas, readFilters } from '../http/filters.ts';
import { type PageQuery, pageParameters, readPage, takePage } from '../http/paging.ts';
import { sendInvalid } from '../http/send-problem.ts';
import { type Operation, page } from '../openapi/operation.ts';
import { type AuditFilter, auditFilters, auditId, auditJson, listAuditEntries } from '../resources/audit-entry.ts';
import { type Route, route } from '../route.ts';

const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { ...filterSchemas(auditFilters), ...pageParameters },
} as const;

const operation: Operation = {
  tag: 'Audit',
  id: 'listAuditEntries',
  summary: 'List who changed what, newest first',
  description: 'With `Hookline-Tenant: *`, what the operator changed of its sessions for all tenants.',
  parameters: filterDescriptions(auditFilters),
  answers: { 200: page('AuditEntry', 'Changes that match') },
};

/** `GET /v1/audit`: the newest first. */
export const listAudit: Route = ({ postgres, apiUrl }) =>
  route<{ Querystring: AuditFilter & PageQuery }>({
    method: 'GET',
    url: '/v1/audit',
    config: { operation, scope: 'admin', ofAllTenants: true },
    schema: { querystring },
    async handler(request, reply) {
      const { query, tenant } = request;
      const page = readPage(query, auditId);
      if ('errors' in page) return sendInvalid(reply, page.errors);
      const read = readFilters(auditFilters, { ...query });
      if ('errors' in read) return sendInvalid(reply, read.errors);
      const rows = await listAuditEntries(postgres, tenant, read.filter, page);
      return takePage(rows, page.limit, ({ id }) => ({ cursor: id }), { request, reply, apiUrl }).map(auditJson);
    },
  });
