import { dateTime, filterText } from './fields.ts';
import { component, operationsOf, page, pageQuery, parameter, resource } from './operation.ts';
import * as t from './schema.ts';

const operation = operationsOf('Audit');

const fields = (description: string) => t.saying(description, t.nullable(t.anyObject));

const auditEntry = component(
  'AuditEntry',
  t.object({
    id: t.id('aud'),
    at: t.time,
    actor: t.object({
      type: t.oneOf(['key', 'session', 'operator']),
      id: t.saying('id of the key or session; `admin` for the operator', t.text),
      key_id: t.saying('the key that acted, for a session the one that it was made from', t.text),
    }),
    action: t.saying('`<resource>.<verb>`', t.text),
    resource_id: t.text,
    before: fields('the fields that changed, as they were; null for a creation'),
    after: fields('the fields that changed, as they are; null for a deletion'),
    request_id: t.saying('in the log of the API, too', t.id('req')),
  }),
);

export type AuditEntry = t.Static<typeof auditEntry.schema>;

export const listAuditEntries = operation('GET', '/v1/audit', {
  summary: 'List who changed what, newest first',
  description: 'With `Hookline-Tenant: *`, what the operator changed of its sessions for all tenants.',
  access: { scope: 'admin', ofAllTenants: true },
  query: {
    actor: parameter(
      filterText,
      'id of an API key, including what its sessions did; id of a session; or `admin`, the operator',
    ),
    action: parameter(filterText, 'action, such as `endpoint.update`'),
    resource: parameter(filterText, 'id of the resource'),
    since: parameter(dateTime, 'RFC 3339: at or after this time'),
    until: parameter(dateTime, 'RFC 3339: before this time'),
    ...pageQuery,
  },
  answers: { 200: page(auditEntry, 'Changes that match') },
});

export const audit = resource({
  tag: 'Audit',
  description:
    'Who changed what, for 400 days. Secrets are `***`; filters, tags, payloads, examples, queries of URLs and long values are digests, equal for equal values of a tenant. Published events are not entries.',
  components: [auditEntry],
  operations: { listAuditEntries },
});
